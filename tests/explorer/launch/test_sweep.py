"""Whole sweeps on real Ray and MLflow."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from explorer.errors import UserError
from tests.explorer.launch.conftest import Workplace

pytestmark = pytest.mark.cluster


def test_a_sweep_from_file_to_front_and_again(on_cluster: Workplace) -> None:
    workplace = on_cluster
    file = workplace.file(pack=8)
    dry = workplace.json_here("sweep", file, "--dry-run")
    assert (dry["trials"], dry["done"], [len(p) for p in dry["packs"]]) == (8, 0, [8])

    outcome = workplace.json_here("sweep", file)
    assert outcome["finished"] == outcome["trials"] == 8
    assert outcome["reused"] == outcome["failed"] == outcome["unfinished"] == 0

    front = workplace.json_here("front", "tiny")
    assert front["hypervolume"] >= 0
    assert {t["id"] for t in front["trials"]} == {i for p in dry["packs"] for i in p}
    assert any(t["on_front"] for t in front["trials"])
    for trial in front["trials"]:
        assert set(trial["budgets"]) == {"1", "2"}
        assert {"precision", "recall", "density", "coverage", "fid"} <= set(trial["metrics"])
        assert ("objective.lam" in trial["params"]) == (trial["params"]["objective.name"] == "pr")
        for budget, measured in trial["budgets"].items():
            rate = 1 / float(budget)
            proposals = 200 * float(budget)  # at least so many
            error = math.sqrt(rate * (1 - rate) / proposals)
            assert measured["acceptance"] == pytest.approx(rate, abs=5 * error + 1e-12)
            assert {"precision", "recall", "density", "coverage", "fid"} <= set(measured)

    again = workplace.json_here("sweep", file)
    assert (again["reused"], again["finished"]) == (8, 8)
    statuses, counts = workplace.runs("tiny")
    assert set(statuses.values()) == {"FINISHED"}
    assert set(counts.values()) == {1}

    # a driver killed between the last checkpoint and the last word to MLflow leaves runs open: they are closed
    workplace.reopen("tiny")
    assert set(workplace.runs("tiny")[0].values()) == {"RUNNING"}
    assert workplace.json_here("sweep", file)["finished"] == 8
    statuses, counts = workplace.runs("tiny")
    assert set(statuses.values()) == {"FINISHED"}
    assert set(counts.values()) == {1}

    # a wider space continues the same sweep
    wider = workplace.json_here("sweep", file, "--set", "space={objective.lam: [0.2, 1, 5, 9]}", "--dry-run")
    assert (wider["trials"], wider["done"], wider["outside"]) == (8, 6, 2)

    html = workplace.folder / "report.html"
    workplace.here("front", "tiny", "--html", html)
    assert html.read_text().lstrip().lower().startswith("<!doctype html")
    csv = workplace.here("front", "tiny", "--csv").splitlines()
    assert len(csv) == 1 + 8 * 2, "a row per trial and reading"


@pytest.mark.slow
@pytest.mark.parametrize(("search", "cpus"), [("tpe", 1), ("nsga2", 2)])
def test_searches_end_with_the_trials_asked_for(on_cluster: Workplace, search: str, cpus: int) -> None:
    """The one is asked while packs are at work, the other between packs: the cluster has two CPUs.

    Two points at a time: the third and last is asked when the first is answered.
    """
    file = on_cluster.file(iterations=12, every=12)
    space = "space={objective.lam: {log_range: [0.05, 20]}, training.generator_lr: [0.001, 0.0005]}"
    arguments = (
        "sweep",
        file,
        "--set",
        f"search={{name: {search}, batch: 2}}",
        "--set",
        f"resources.cpus={cpus}",
        "--set",
        space,
        "--trials",
        "6",
        "--seeds",
        "2",
    )
    outcome = on_cluster.json_here(*arguments)
    assert (outcome["trials"], outcome["finished"]) == (6, 6)
    more = (*arguments[:-3], "10", *arguments[-2:])
    plan = on_cluster.json_here(*more, "--dry-run")
    assert (plan["trials"], plan["done"], plan["left"], plan["outside"]) == (10, 6, 4, 0)
    outcome = on_cluster.json_here(*more)
    assert (outcome["trials"], outcome["finished"], outcome["reused"]) == (10, 10, 6)
    statuses, counts = on_cluster.runs("tiny")
    assert len(counts) == 10
    assert set(counts.values()) == {1}
    assert set(statuses.values()) == {"FINISHED"}


def test_bad_input_is_one_sentence_and_exit_code_2(workplace: Workplace) -> None:
    out, err = workplace.run("sweep", "demo", "--set", "objective.lam=0", code=2)
    assert out == ""
    assert err.startswith("tradeoff: ")
    assert len(err.strip().splitlines()) == 1
    assert not workplace.home.exists() or not (workplace.home / "mlflow.db").exists()
    _, err = workplace.run("front", "nothing", code=2)
    assert err.startswith("tradeoff: ")
    _, err = workplace.run("sweep", "demo", "--address", "127.0.0.1:1", code=2)
    assert "no Ray cluster answers at '127.0.0.1:1'" in err


def test_resources_that_can_never_be_had_are_refused(on_cluster: Workplace) -> None:
    file = on_cluster.file()
    with pytest.raises(UserError, match="a pack asks for 4000 CPUs"):
        on_cluster.here("sweep", file, "--set", "resources.cpus=4000")


HEAVY = ("torch", "ray", "mlflow", "optuna", "streamlit", "pandas", "sklearn", "plotly")


def test_help_imports_nothing_heavy() -> None:
    probe = (
        "import runpy, sys\n"
        "sys.argv = ['tradeoff', '--help']\n"
        "try: runpy.run_module('explorer', run_name='__main__')\n"
        "except SystemExit: pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"
