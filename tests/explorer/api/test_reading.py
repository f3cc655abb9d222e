"""Sweeps and trials from Python: found by name, one by identity, with what was kept of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import explorer.api as te
from explorer.results.store import ResultStore
from tests.app.made_sweep import ITERATIONS, LAMBDAS, MADE, made_trials


def test_sweeps_are_those_of_the_store(store_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [info.name for info in te.sweeps(store_uri)]
    assert names == [info.name for info in ResultStore(store_uri).sweeps()]
    assert MADE in names
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store_uri)
    assert [info.name for info in te.sweeps()] == names
    assert te.sweeps(experiment="nobody's") == []


def test_a_sweep_that_is_not_there_is_told(store_uri: str) -> None:
    with pytest.raises(te.UserError, match=r"no sweep 'maed' in .*did you mean 'made'"):
        te.results("maed", store_uri)


def test_results_are_the_trials(found: te.Results) -> None:
    identities = [trial.id for trial in made_trials()]
    assert sorted(trial.id for trial in found) == sorted(identities)
    assert len(found) == 3 * (len(LAMBDAS) + 2)
    assert (
        repr(found) == "<results of sweep made: 26 of 27 trials finished; precision max, recall max, fid min>"
    )


def test_a_trial_is_named_by_its_identity_or_how_it_begins(found: te.Results) -> None:
    one = found.table.trials[3]
    assert found[one.id] is one
    assert found[one.id[:8]] is one
    for wrong, count in (("", "none"), ("zz", "none")):
        with pytest.raises(te.UserError, match=f"got '{wrong}', which {count} of 27 trials do"):
            found[wrong]


def test_a_data_frame_has_every_reading(found: te.Results) -> None:
    frame = found.to_pandas()
    assert len(frame) == sum(len(trial.readings) for trial in found)
    two = frame[(frame.budget == 2) & (frame.status == "finished")]
    assert two["acceptance"].notna().all()
    assert two.groupby("objective.lam")["recall"].mean().is_monotonic_decreasing


def test_what_was_kept_of_a_trial_can_be_had(found: te.Results) -> None:
    made = made_trials()[0]
    points = next(reading.samples for reading in made.final.readings if reading.key == ("obrs", 2.0))
    assert points is not None
    np.testing.assert_allclose(found.samples(made.id, budget=2), points, atol=1e-3)
    assert found.samples(made.id).shape[1] == 2
    with pytest.raises(te.UserError, match=r"the budget must be one at which sweep 'made' was read .* got 3"):
        found.samples(made.id, budget=3)
    curve = found.curve(made.id)
    assert list(curve) == ["lambda", "precision", "recall"]
    np.testing.assert_allclose(curve["precision"], made.final.curve["precision"])
    np.testing.assert_allclose(curve["lambda"], made.final.curve["lambda"])
    history = found.history(made.id, "recall")
    assert (history.name, history.index.name, history.index[-1]) == ("recall", "iteration", ITERATIONS)
    assert history.iloc[-1] == pytest.approx(found[made.id].metrics["recall"])
    assert found.history(made.id, "nothing").empty


def test_a_trial_without_points_is_told(found: te.Results) -> None:
    failed = next(trial.id for trial in found if trial.status == "failed")
    with pytest.raises(te.UserError, match=f"no points of trial '{failed}' were kept"):
        found.samples(failed)


@pytest.mark.parametrize("sweep", [None, 5, [], {}, b"made", object(), np.ones(2)])
def test_what_is_no_sweep_is_told(sweep: Any, store_uri: str) -> None:
    with pytest.raises(
        te.UserError, match=r"a sweep to read must be its name or what te.load_sweep returns, got "
    ):
        te.results(sweep, store_uri)


@pytest.mark.parametrize("wrong", [5, object(), b"x", ["x"], np.ones(2), "sqlite:///a\0b"])
def test_what_is_no_store_is_told(wrong: Any) -> None:
    loaded = te.load_sweep("demo")
    for read in (te.sweeps, lambda uri: te.results("made", uri), lambda uri: te.results(loaded, uri)):
        with pytest.raises(te.UserError, match="tracking_uri must be text"):
            read(wrong)
    for look in (te.sweeps, lambda uri, one: te.results("made", uri, one)):
        with pytest.raises(te.UserError, match="experiment must be text"):
            look(None, wrong)


@pytest.mark.parametrize("wrong", [None, 5, b"x", [], np.ones(2), object()])
def test_what_names_no_trial_is_told(wrong: Any, found: te.Results) -> None:
    for read in (found.__getitem__, found.samples, found.curve, found.history):
        with pytest.raises(te.UserError, match="the identity of a trial of sweep 'made' must be text, got "):
            read(wrong)
    with pytest.raises(te.UserError, match="a metric must be text, got "):
        found.history(found.table.trials[0].id, wrong)


@pytest.mark.parametrize("address", ["http://me:secret@127.0.0.1:1", "http://127.0.0.1:1/?token=secret"])
def test_an_address_of_others_has_no_password(address: str) -> None:
    with pytest.raises(te.UserError, match="the address must be an address without a password") as refused:
        te.results_from(address)
    assert "secret" not in str(refused.value)
