"""A sweep that was deleted begins anew: new runs, and nothing is trained twice, since its checkpoints stayed."""

from __future__ import annotations

import pytest

from explorer.results.store import ResultStore
from tests.explorer.launch.conftest import Workplace


@pytest.mark.cluster
@pytest.mark.slow
def test_a_deleted_sweep_that_is_launched_again_has_new_runs_from_its_old_checkpoints(
    workplace: Workplace,
) -> None:
    file, uri = workplace.file(), f"sqlite:///{workplace.home / 'mlflow.db'}"
    workplace.run("sweep", file)
    before = {trial.id: trial for trial in ResultStore(uri).table("tiny")}
    told, _ = workplace.run("delete", "tiny", "--yes", "tiny")
    assert f"checkpoints stay in {workplace.home / 'checkpoints'}" in told
    out, err = workplace.run("sweep", file)
    assert "8 to be read, without training" in out + err
    after = {trial.id: trial for trial in ResultStore(uri).table("tiny")}
    assert before.keys() == after.keys()
    assert not {t.run_id for t in before.values()} & {t.run_id for t in after.values()}
    for identity, trial in after.items():
        assert trial.metrics["precision"] == before[identity].metrics["precision"], "the same models"
