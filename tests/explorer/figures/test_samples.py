"""Samples over the real ones: as the writer stores them today, as layout 1 did, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures import Samples, samples_figure
from explorer.figures.samples import MAX_POINTS
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, SAMPLES_FILE, At
from tests.app.made_sweep import OLD, made_trials, read_table

K2 = At("obrs", 2.0)


def stored(uri: str, table: TrialTable) -> Samples:
    found = Samples.from_artifact(ResultStore(uri).artifact_json(table.trials[0].run_id, SAMPLES_FILE))
    assert found is not None
    return found


def test_samples_are_read_and_drawn_per_reading(store_uri: str, table: TrialTable) -> None:
    samples = stored(store_uri, table)
    assert samples.available("obrs") == [PLAIN, At("obrs", 1.5), K2, At("obrs", 4.0)]
    made = next(m for m in made_trials() if m.id == table.trials[0].id)
    np.testing.assert_allclose(samples.at(K2), made.reading(K2).samples, atol=1e-4)
    figure = samples_figure(samples, K2)
    assert [t.name for t in figure.data] == ["real", "model"]
    assert [len(t.x) for t in figure.data] == [120, 60]
    assert figure.layout.title.subtitle.text == "60 samples at K = 2"


def test_each_method_has_its_own_samples(store_uri: str, two_methods: TrialTable) -> None:
    samples = stored(store_uri, two_methods)
    assert samples.available("other") == [PLAIN, At("other", 2.0), At("other", 3.0)]
    assert samples.available("nobody") == [PLAIN]
    assert "K = 3" in samples_figure(samples, At("other", 3.0)).layout.title.subtitle.text


def test_samples_of_layout_1_are_read(store_uri: str) -> None:
    samples = stored(store_uri, read_table(store_uri, OLD))
    assert samples.available("obrs") == [PLAIN, K2, At("obrs", 4.0)]
    assert [len(samples.at(at)) for at in samples.available("obrs")] == [40, 20, 10]
    assert len(samples.real) == 40


def test_a_reading_without_samples_is_drawn_empty(store_uri: str, table: TrialTable) -> None:
    samples = stored(store_uri, table)
    assert samples.at(At("obrs", 3.0)).shape == (0, 2)
    assert [len(t.x) for t in samples_figure(samples, At("obrs", 3.0)).data] == [120, 0]
    assert len(samples.at(At("other", 1.0))) == 120, "at K = 1 every refinement is the model as it is"


def plain(points: object, **more: object) -> dict[str, object]:
    return {"readings": [{"method": "none", "budget": 1, "points": points}], **more}


def test_one_dimensional_samples_become_densities() -> None:
    samples = Samples.from_artifact(plain([[0.5], [0.25], [0.75]], real=[[i / 100] for i in range(100)]))
    assert samples is not None
    assert samples.dimension == 1
    real = samples_figure(samples).data[0]
    area = sum(h * (b - a) for h, a, b in zip(real.y, real.x, real.x[1:], strict=False))
    assert area == pytest.approx(1.0, abs=0.03)


def test_many_points_go_to_webgl_and_are_cut() -> None:
    points = np.random.default_rng(0).normal(size=(MAX_POINTS + 1, 2)).tolist()
    samples = Samples.from_artifact(plain(points, real=[[0.0, 0.0], [1.0, 1.0]]))
    assert samples is not None
    figure = samples_figure(samples)
    assert {t.type for t in figure.data} == {"scattergl"}
    assert [len(t.x) for t in figure.data] == [2, MAX_POINTS]


def test_points_that_are_not_finite_are_left_out() -> None:
    samples = Samples.from_artifact(plain([[0.0, 1.0], [float("nan"), 1.0]]))
    assert samples is not None
    assert samples.at(PLAIN).tolist() == [[0.0, 1.0]]
    assert samples_figure(samples).layout.xaxis.range == (-1.0, 1.0), "a single point has a frame, too"


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"fake": "text"},
        {"fake": [[1, 2, 3]]},
        {"fake": [[1, 2], [3]]},
        {"fake": [[1, 2]], "real": [[1]]},
        {"readings": "text"},
        {"readings": [3, {"method": "none"}, {"method": "none", "budget": "x", "points": [[1, 2]]}]},
        {"readings": [{"method": "obrs", "budget": 2, "points": [[1, 2]]}]},
        plain([[1, 2, 3]]),
        plain([[[1, 2]]]),
        plain([[1, 2]], real=[[1]]),
    ],
)
def test_other_artifacts_are_no_samples(raw) -> None:
    assert Samples.from_artifact(raw) is None


def test_readings_of_another_width_are_left_out() -> None:
    raw = plain([[1, 2]])
    raw["readings"] += [{"method": "obrs", "budget": 2, "points": [[1]]}]
    samples = Samples.from_artifact(raw)
    assert samples is not None
    assert samples.available("obrs") == [PLAIN]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "points", [[[1.0], [1.0000000000000002]], [[1e17], [1e17]], [[0.5], [0.5]], [[0.0], [1e-300]]]
)
def test_densities_of_points_that_hardly_differ_are_numbers(points: list[list[float]]) -> None:
    samples = Samples.from_artifact(plain(points, real=points))
    assert samples is not None
    for trace in samples_figure(samples).data:
        assert np.isfinite(np.asarray(trace.y)).all()
        assert (np.diff(trace.x) > 0).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [1e308, 1e101])
def test_points_too_far_out_to_be_drawn_are_left_out(far: float) -> None:
    line = Samples.from_artifact(plain([[far], [-far], [0.5]], real=[[0.0], [far]]))
    assert line is not None
    assert line.at(PLAIN).tolist() == [[0.5]]
    samples_figure(line)
    plane = Samples.from_artifact(plain([[far, 1.0], [1.0, 2.0]], real=[[0.0, -far], [1.0, 1.0]]))
    assert plane is not None
    assert samples_figure(plane).layout.xaxis.range == (0.0, 2.0)
    assert Samples.from_artifact(plain([[far, 1.0]])) is None
