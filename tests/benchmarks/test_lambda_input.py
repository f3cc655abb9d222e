"""The arithmetic of the comparison: areas of fronts, the values of λ, trends."""

from __future__ import annotations

import pytest

from benchmarks.lambda_input import area, fine, main, settings, trend


def test_the_area_of_a_front_is_what_it_dominates() -> None:
    assert area([]) == 0
    assert area([(0.5, 0.4)]) == pytest.approx(0.2)
    front = [(0.5, 0.8), (1.0, 0.2)]
    assert area(front) == pytest.approx(0.5 * 0.8 + 0.5 * 0.2)
    assert area([*front, (0.4, 0.7)]) == pytest.approx(area(front)), "what is dominated adds nothing"


@pytest.mark.parametrize("count", [3, 5, 7])
def test_the_curve_is_read_at_four_times_as_many_lambdas_within_the_range(count: int) -> None:
    lams = [0.1 * 100 ** (i / (count - 1)) for i in range(count)]
    dense = fine(lams)
    assert len(dense) == 4 * count
    assert set(lams) <= set(dense)
    assert (dense[0], dense[-1]) == (lams[0], lams[-1])


def test_a_trend_is_a_rank_correlation_and_nothing_where_nothing_moves() -> None:
    assert trend([0.1, 1, 10], [0.2, 0.3, 0.9]) == pytest.approx(1)
    assert trend([0.1, 1, 10], [0.5, 0.5, 0.5]) == 0
    assert trend([0.1, 1], [0.5]) != trend([0.1, 1], [0.5]), "a trial failed"


def test_settings_are_yaml() -> None:
    assert settings(["training.iterations=5", "objective.lams=[1, 2]"]) == {
        "training.iterations": 5,
        "objective.lams": [1, 2],
    }


def test_both_ways_are_trained_and_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["training.iterations=20", "training.batch_size=16", "evaluation.samples=60"]
    given = [
        "--range",
        "0.2",
        "5",
        "--count",
        "3",
        "--seeds",
        "100",
        "--control",
        "--points",
        "--markdown",
        "--device",
        "cpu",
    ]
    monkeypatch.setattr("sys.argv", ["lambda_input.py", "gaussians8", *small, *given])
    main()
    told = capsys.readouterr()
    assert "3 × 20 iterations against" in told.out
    assert "| area of the front at 3 λ |" in told.out
    assert "one training at λ = 1, as long as all: area" in told.out
    assert "seed 100    curve:" in told.out
    assert "3 trials: 20 of 20 iterations" in told.err
