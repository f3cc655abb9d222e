"""Runs of layout 1, as the version before wrote them, are found again, and what they hold is not done twice.

``layout1.json`` was written by that version: identities and parameters of ten trials.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer.launch.earlier import earlier_trials
from explorer.launch.older_layout import find_again
from explorer.launch.plan import make_plan
from explorer.launch.run import run_sweep
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.schema import PLAIN, At, encode
from explorer.sweep import load_sweep
from tests.stores import empty_store
from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.datasets.gaussians25 import Gaussians25
from trainables.datasets.mixture1d import Mixture1d
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.objectives.fgan import PearsonChi2
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.hinge import Hinge
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population

STORED = {
    row["case"]: row
    for row in json.loads((Path(__file__).parent / "layout1.json").read_text(encoding="utf-8"))
}
THESIS = MlpGan(generator=(256, 512, 1024), critic=(1024, 512, 256))
TODAY = {
    "pr on the demo's model": TrialConfig(
        model=MlpGan(generator=(24, 24)),
        objective=PR(lam=0.2),
        training=TrainingConfig(critic_steps=1),
        seed=3,
    ),
    "defaults": TrialConfig(),
    "hinge": TrialConfig(objective=Hinge(), seed=1),
    "spectral, other budgets": TrialConfig(objective=PR(lam=10), constraint=Spectral(25)),
    "thesis size": TrialConfig(dataset=Gaussians25(), model=THESIS, objective=PearsonChi2()),
    "chi2 critic, primal": TrialConfig(objective=PR(lam=2, critic="chi2", form="primal")),
    "line": TrialConfig(dataset=Mixture1d(), model=MlpGan(latent=1)),
    "flow by likelihood": TrialConfig(model=RealNvp(couplings=6, width=32), objective=MaximumLikelihood()),
    "flow gan": TrialConfig(model=RealNvp(), objective=FlowGan()),
    "flow with a warm-up of its own": TrialConfig(
        model=RealNvp(),
        objective=PR(lam=3, likelihood=0.5, warmup=100),
        training=TrainingConfig(iterations=3000),
    ),
}
READ = {PLAIN: {"precision": 0.9}, At("obrs", 2.0): {"precision": 0.95}, At("obrs", 8.0): {"precision": 1.0}}


def old_trial(case: str, **changes: Any) -> Trial:
    row = STORED[case]
    return Trial(row["id"], "run", "finished", {**row["params"], **changes}, READ)


@pytest.mark.parametrize("case", STORED)
def test_a_run_is_found_again_by_its_parameters(case: str) -> None:
    found = find_again(old_trial(case))
    assert found is not None
    assert found.id == TODAY[case].identity()
    assert found.id != STORED[case]["id"]


def test_the_readings_it_has_are_those_its_budgets_and_sizes_say() -> None:
    found = find_again(old_trial("spectral, other budgets"))
    assert found is not None
    asked = load_sweep("demo", ["evaluation={samples: 2500, k: 5, every: 10}", "refinement.budgets=[8]"])
    wanted = {At(*key): mark for key, mark in asked.plan.readings().items()}
    assert dict(found.marks) == wanted, "K = 2 was never asked for, so it is not one of them"
    other = load_sweep("demo", ["evaluation={samples: 2500, k: 3}", "refinement.budgets=[8]"])
    assert not set(other.plan.readings().values()) & set(found.marks.values())


@pytest.mark.parametrize(
    "changes", [{"model.name": "gone"}, {"objective.lam": "much"}, {"training.unheard": 1}, {"seed": -3}]
)
def test_a_run_that_no_config_describes_is_not_guessed_at(changes: dict[str, Any]) -> None:
    assert find_again(old_trial("defaults", **changes)) is None


CASES = ("pr on the demo's model", "hinge")
SWEEP = """
name: before
seeds: [3]
training: {critic_steps: 1}
model: {generator: [24, 24]}
space: {objective.lam: [0.2]}
"""


def write_layout_1(folder: Path, cases: tuple[str, ...]) -> None:
    """A store as the version before left it, through MLflow's own client."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric, Param

    client = MlflowClient(empty_store(folder))
    experiment = client.create_experiment("tradeoff-explorer", (folder / "artifacts").as_uri())
    objectives = json.dumps({"precision": "max", "recall": "max", "fid": "min"})
    tags = {"tradeoff.kind": "sweep", "tradeoff.sweep": "before", "tradeoff.objectives": objectives}
    parent = client.create_run(experiment, tags=tags)
    for case in cases:
        row = STORED[case]
        tags = {"tradeoff.kind": "trial", "tradeoff.sweep": "before", "tradeoff.trial": row["id"]}
        run = client.create_run(experiment, tags={**tags, "mlflow.parentRunId": parent.info.run_id})
        numbers = {"precision": 0.9, "recall": 0.5, "fid": 1.5}
        keys = {f"K{k}/{name}": v for k in ("1", "1.5", "2", "4") for name, v in numbers.items()}
        metrics = [Metric(key, value, 1, 2000) for key, value in {**numbers, **keys}.items()]
        params = [Param(path, encode(value)) for path, value in row["params"].items()]
        client.log_batch(run.info.run_id, metrics, params)
        client.set_terminated(run.info.run_id)
    client.set_terminated(parent.info.run_id)


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    write_layout_1(tmp_path, CASES)
    (tmp_path / "before.yaml").write_text(SWEEP)
    return tmp_path


def test_a_store_of_layout_1_is_read_as_it_is(before: Path) -> None:
    table = ResultStore(f"sqlite:///{before / 'mlflow.db'}").table("before")
    assert {t.id for t in table} == {STORED[case]["id"] for case in CASES}
    assert table.budgets() == [1.0, 1.5, 2.0, 4.0]
    assert table.trials[0].at(At("obrs", 2.0))["precision"] == 0.9
    assert table.title("fid") == "FID"


def test_a_launch_takes_up_what_layout_1_had_finished(before: Path) -> None:
    from rich.console import Console

    sweep = load_sweep(str(before / "before.yaml"))
    known = earlier_trials(sweep)
    identity = TODAY[CASES[0]].identity()
    assert known.renamed[identity] == STORED[CASES[0]]["id"]
    plan = make_plan(sweep, known)
    assert (plan.trials, plan.done, plan.iterations, plan.renamed, plan.lost) == (1, 1, 0, 1, 0)

    # its checkpoint, of the older layout too, goes by the new name
    folder = CheckpointFolder(before / "checkpoints")
    state = Population([TODAY[CASES[0]]]).state(0)
    state["spectral"] = torch.ones(193)
    del state["layout"], state["constraint"]
    old = STORED[CASES[0]]["id"]
    (before / "checkpoints" / old).mkdir(parents=True)
    torch.save({**state, "iteration": torch.tensor(2000)}, before / "checkpoints" / old / "2000.pt")

    assert run_sweep(sweep, Console(quiet=True)).reused == 1
    table = ResultStore(f"sqlite:///{before / 'mlflow.db'}").table("before")
    assert {t.id for t in table} == {find_again(old_trial(case)).id for case in CASES}  # type: ignore[union-attr]
    assert {t.layout for t in table} == {"2"}
    assert folder.iterations(identity) == [2000]
    assert int(folder.load(identity, 2000)["iteration"]) == 2000
    assert earlier_trials(sweep).renamed == {}, "once is enough"


def test_two_runs_of_one_config_are_not_merged_and_one_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setitem(STORED, "twice", {**STORED[CASES[0]], "id": "0123456789ab"})
    write_layout_1(tmp_path, (CASES[0], "twice"))
    (tmp_path / "before.yaml").write_text(SWEEP)
    sweep = load_sweep(str(tmp_path / "before.yaml"))
    known = earlier_trials(sweep)
    assert len(known.renamed) == 1
    assert len(known.lost) == 1
    assert make_plan(sweep, known).lost == 1
