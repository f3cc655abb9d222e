"""Archives, imports and samples from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import explorer.api as te
from tests.explorer.transfer.conftest import uri
from tests.stores import empty_store

__all__ = ["uri"]


def test_a_sweep_goes_and_comes(uri: str, tmp_path: Path) -> None:
    there = empty_store(tmp_path)
    left = te.export_sweep("ring", tmp_path / "ring.zip", artifacts=False, tracking_uri=uri)
    found = te.import_sweep(left.file, name="ring-again", tracking_uri=there)
    assert (left.trials, found.written) == (6, 6)
    ours, theirs = te.results("ring", uri), te.results("ring-again", there)
    assert te.front(ours).hypervolume == te.front(theirs).hypervolume
    te.import_sweep(left.file, tracking_uri=there)
    both = te.beside(theirs, te.results("ring", there))
    assert len(both) == 12
    assert te.report(both, tmp_path / "both.html").stat().st_size > 1_000_000
    with pytest.raises(te.UserError, match="tracking_uri must be an address without a password"):
        te.import_sweep(left.file, tracking_uri="http://me:secret@host:5000")
    with pytest.raises(te.UserError, match="must lie in one store"):
        te.beside(ours, theirs)
    with pytest.raises(te.UserError, match=r"must be results of te\.results"):
        te.beside("ring")  # type: ignore[arg-type]


def test_what_others_wrote_is_read_where_it_lies(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("lr,precision,recall\n1,0.5,0.5\n2,0.75,0.25\n")
    found = te.results_from(file)
    assert len(te.front(found)) == 2
    assert found.history(found.table.trials[0].id).empty
    assert te.report(found, tmp_path / "t.html").exists()
    assert [goal.metric for goal in te.results_from(file, objectives={"recall": "max"}).table.goals] == [
        "recall"
    ]
    for wrong in ({"none": "max"}, {"recall": "up"}, "recall"):
        with pytest.raises(te.UserError):
            te.results_from(file, objectives=wrong)  # type: ignore[arg-type]


def test_arrays_are_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    there, rng = empty_store(tmp_path), np.random.default_rng(0)
    real, fake = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
    for known in (0, 1):
        params = {"lam": 2, "tag": "007"}
        found = te.import_samples("mine", real, fake, params, metrics="precision", tracking_uri=there)
        assert (found.written, found.known) == (1 - known, known)
    (trial,) = te.results("mine", there)
    assert trial.params == {"samples": "fake", "lam": 2, "tag": "007"}
    for wrong in ({"params": "lam"}, {"objectives": {"fid": "min"}}, {"k": 0}):
        with pytest.raises(te.UserError):
            te.import_samples("mine", real, fake, **{"metrics": "precision", "tracking_uri": there, **wrong})
