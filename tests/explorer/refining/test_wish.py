"""What is wished is refused in one sentence before a model is looked for."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
import torch

from explorer.errors import UserError
from explorer.refining import Wish, parse_budgets
from tests.explorer.refining.halved import Halved
from trainables.refinements import Refinement
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.none import AsItIs


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"budgets": (1.0, 0.5)}, r"budget K must be ≥ 1, got 0\.5; use K=1 to accept every sample"),
        ({"budgets": (-2.0,)}, "budget K must be ≥ 1, got -2"),
        ({"budgets": (nan,)}, "budget K must be ≥ 1, got nan"),
        ({"budgets": (2.0, inf)}, "budget K must be ≥ 1, got inf"),
        ({"samples": 0}, "samples must be a number from 1 to 1,000,000, got 0"),
        ({"samples": 1_000_001}, "samples must be a number from 1 to 1,000,000, got 1000001"),
        ({"seed": -1}, r"the seed must lie in \[0, 2\^62\), got -1"),
        ({"seed": 2**62}, r"the seed must lie in \[0, 2\^62\), got 4611686018427387904"),
        ({"ratio": "critics"}, "the ratio cannot be 'critics'; did you mean 'critic'"),
        ({"ratio": "xyz"}, "the ratio cannot be 'xyz'; it can be critic, density, classifier"),
        ({"calibration": "isotone"}, "the calibration cannot be 'isotone'; did you mean 'isotonic'"),
        ({"calibration": "xyz"}, "the calibration cannot be 'xyz'; it can be none, normalised, slope, isotonic"),
        ({"ratio": ""}, "the ratio cannot be ''; it can be critic"),
    ],
    ids=str,
)  # fmt: skip
def test_what_no_model_can_do_is_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Wish(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"budgets": (1.0,)},
        {"budgets": ()},
        {"samples": 1},
        {"samples": 1_000_000},
        {"seed": 2**62 - 1},
        {"calibration": "none"},
        {"ratio": "classifier", "calibration": "normalised"},
    ],
    ids=str,
)
def test_what_lies_at_the_edge_is_taken(asked: dict[str, Any]) -> None:
    wish = Wish(**asked)
    assert {name: getattr(wish, name) for name in asked} == asked


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1", (1.0,)),
        ("1,2,4,8", (1.0, 2.0, 4.0, 8.0)),
        (" 1 , 1.5,1e3, ", (1.0, 1.5, 1000.0)),
        (",".join(map(str, range(1, 101))), tuple(map(float, range(1, 101)))),
    ],
)
def test_budgets_are_numbers_with_commas(text: str, found: tuple[float, ...]) -> None:
    assert parse_budgets(text) == found


@pytest.mark.parametrize("text", ["", " , ", "one", "1;2", "1 2", "1,two", "0x10", "[1, 2]"])
def test_text_that_is_no_numbers_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="budgets must be numbers with commas, such as 1,2,4,8, got '"):
        parse_budgets(text)


def test_endless_text_is_told_in_few_words() -> None:
    with pytest.raises(UserError, match="such as 1,2,4,8, got 'x") as refused:
        parse_budgets("x" * 100_000)
    assert len(str(refused.value)) < 150


def test_more_than_a_hundred_budgets_are_refused() -> None:
    with pytest.raises(
        UserError, match="the number of budgets must be at most 100, got 101; use a smaller one"
    ):
        parse_budgets(",".join(["2"] * 101))


@pytest.mark.parametrize("text", ["nan", "inf", "1e400", "2,0.99", "-1"])
def test_numbers_that_are_no_budgets_are_refused_by_the_wish(text: str) -> None:
    with pytest.raises(UserError, match="budget K must be ≥ 1, got"):
        Wish(budgets=parse_budgets(text))


def test_auto_is_the_device_that_is_there() -> None:
    assert Wish().torch_device() == ("cuda" if torch.cuda.is_available() else "cpu")
    assert Wish(device="cpu").torch_device() == "cpu"


@pytest.mark.parametrize("device", ["gpu", "CPU", "", "cuda:x", "cpu:0", "mps"])
def test_unknown_devices_are_refused(device: str) -> None:
    with pytest.raises(UserError, match=f"the device must be auto, cpu, cuda or cuda:N, got '{device}'"):
        Wish(device=device).torch_device()


def test_a_device_that_is_not_here_is_refused() -> None:
    with pytest.raises(UserError, match=r"device cuda:99 was asked for, but torch finds .*; use device auto"):
        Wish(device="cuda:99").torch_device()


def test_methods_are_read_at_the_budgets_that_are_wished() -> None:
    wish = Wish(method="dot", budgets=(1.0, 3.0))
    assert wish.section() == {"name": "dot"}
    assert wish.streamed(Dot(budgets=(5.0,), rate=0.3)) == Dot(budgets=(1.0, 3.0), rate=0.3)


@pytest.mark.parametrize("method", [AsItIs(), Halved()], ids=["none", "halved"])
def test_what_neither_chooses_nor_moves_is_refused(method: Refinement) -> None:
    with pytest.raises(
        UserError, match=f"chooses among draws or moves them, and '{method.name}' does neither"
    ):
        Wish().streamed(method)


@pytest.mark.parametrize(
    ("budgets", "sentence"),
    [
        ((1e10,), "refinement 'drs' cannot be read so: budget K must be at most 1,000,000,000"),
        ((2.0,) * 101, r"the number of refinement\.budgets must be at most 100, got 101"),
    ],
)
def test_more_than_a_method_can_is_refused(budgets: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Wish(budgets=budgets).streamed(Drs())


def test_budgets_are_told_in_one_place() -> None:
    with pytest.raises(UserError, match=r"^refinement\.budgets is given by the method and the budgets"):
        Wish(changes=("refinement.rate=0.1", "refinement.budgets=[3]"))
