"""Laws, trade-offs and budgets are numbers within bounds, or refused in a sentence before torch is loaded."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from explorer.errors import UserError
from explorer.theory.inputs import check_budget, check_laws, check_trade_offs, parse_numbers


def test_numbers_and_fractions_are_read() -> None:
    assert parse_numbers("0.5, 1/3,1e-3 ,-2", "--real") == [0.5, 1 / 3, 1e-3, -2.0]


@pytest.mark.parametrize(
    "text", ["", "half", "nan", "inf", "1e400", "1/0", "0/0", "1/3/3", "1,,2", "1e400/1e400", "\x1b[0m"]
)
def test_what_is_no_number_is_told(text: str) -> None:
    with pytest.raises(UserError, match="--real must be numbers separated by commas, got '"):
        parse_numbers(text, "--real")


def test_a_number_with_endless_digits_costs_no_time() -> None:
    """As an exact fraction it would fill the memory."""
    with pytest.raises(UserError, match="got '1e999999999'"):
        parse_numbers("1e999999999", "--real")
    assert parse_numbers("1e-999999999", "--real") == [0.0]


@pytest.mark.parametrize(
    ("real", "model", "told"),
    [
        ([0.5, 0.5], [1.0], "same number of probabilities, got 2 and 1"),
        ([0.5, 0.6], [0.5, 0.5], "real must sum to 1, got 1.1"),
        ([0.5, 0.5], [1.5, -0.5], "model must be ≥ 0, got -0.5"),
        ([1.0, 1e-300], [0.5, 0.5], "real must be 0 or at least 1e-30, got 1e-300"),
        ([0.0004] * 2500, [0.0004] * 2500, "at most 2,000 outcomes, got 2,500"),
    ],
)
def test_what_is_no_pair_of_laws_is_told(real: list[float], model: list[float], told: str) -> None:
    with pytest.raises(UserError, match=told):
        check_laws(real, model)


@pytest.mark.parametrize(
    ("lambdas", "told"),
    [
        ([], "got none"),
        ([1.0, -1.0], "got -1"),
        ([1e31], r"must be in \[0, 1e\+30\], got 1e\+31"),
        ([float("nan")], "got nan"),
        ([1.0] * 501, "at most 500 trade-offs, got 501"),
    ],
)
def test_what_is_no_trade_off_is_told(lambdas: list[float], told: str) -> None:
    with pytest.raises(UserError, match=told):
        check_trade_offs(lambdas)


def test_budgets_have_two_ends() -> None:
    check_budget(1.0)
    check_budget(1e30)
    told = {0.5: "≥ 1, got 0.5", math.nan: "≥ 1, got nan", 1e31: "at most 1e", math.inf: "got inf"}
    for budget, words in told.items():
        with pytest.raises(UserError, match=words):
            check_budget(budget)


def test_a_refusal_loads_no_torch() -> None:
    code = (
        "import sys\nfrom explorer.errors import UserError\nfrom explorer.theory import compare\n"
        "try:\n    compare([0.5, 0.6], [0.5, 0.5])\nexcept UserError:\n    print('torch' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
