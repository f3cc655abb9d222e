"""A user's own members, one of every family, through Ray, MLflow, front, report and app, which never import them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sweep.plugins import ALL_FAMILIES
from tests.app.running import charts, html, places, run_page
from tests.explorer.launch.conftest import Workplace

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[3]
BLOCK = re.compile(r"`(\w+)\.(py|yaml)`[^`]*:\n\n```(?:python|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def files_of(page: Path) -> dict[str, str]:
    """Files that a page shows in full: their names stand before the block."""
    return {f"{name}.{kind}": body for name, kind, body in BLOCK.findall(page.read_text(encoding="utf-8"))}


def forget_plugins() -> None:
    """Commands run in this process took members in; from here on it has never heard of them."""
    for name, module in list(sys.modules.items()):
        if hasattr(module, "__tradeoff_plugin__"):
            del sys.modules[name]
            for family in ALL_FAMILIES:
                for kind in family.defined_in(module):
                    family.forget(kind.name)


MEMBERS = files_of(ROOT / "CONTRIBUTING.md")
EXAMPLE = files_of(ROOT / "docs" / "own-members.md")

SWEEP = """
plugins: [%s]
dataset: {name: half_moons, points: 1500}
model: {name: shallow, width: 8}
objective: {name: least_squares}
constraint: {name: max_norm}
training: {iterations: 40, batch_size: 32}
refinement:
  - {name: best_of, budgets: [2]}
  - {name: obrs, budgets: [2]}
evaluation:
  samples: 200
  every: 5
  features: polar
  metrics: [neighbours, mean_gap]
space:
  constraint.limit: {log_range: [0.1, 10]}
  training.generator_lr: {range: [0.001, 0.002]}
search: {name: corners, objectives: {recall: max, mean_gap: min}}
stopping: {name: deadline, evaluations: 2}
resources: {pack: 4}
"""


def test_there_is_one_file_for_every_family() -> None:
    text = "\n".join(MEMBERS.values())
    assert len(MEMBERS) == len(ALL_FAMILIES) == 9
    for family in ALL_FAMILIES:
        bases = family.base.__name__ + ("|Adversarial" if family.noun == "objective" else "")
        assert re.search(rf"\((?:{bases})\):", text), family.noun
    assert not re.search(r"^(import|from) torch\b", text, re.MULTILINE), (
        "torch is imported where it is needed"
    )


def test_a_member_of_every_family_from_outside_works_to_the_end(on_cluster: Workplace) -> None:
    place = on_cluster
    apart = place.folder / "apart"  # not the folder of the command, which Ray's workers look into
    apart.mkdir()
    seen = place.folder / "seen.txt"
    confess = f'__import__("pathlib").Path("{seen}").write_text(__file__)'
    for name, body in MEMBERS.items():
        told = body.replace("        return Scores(", f"        {confess}\n        return Scores(")
        (apart / name).write_text(told, encoding="utf-8")
    file = place.file("apart/mine", SWEEP % ", ".join(name.removesuffix(".py") for name in MEMBERS))
    outcome = place.json_here("sweep", file)
    assert "py_modules_files" in seen.read_text(), "workers got the module from Ray"
    # the corners of two axes are three points; the deadline ends each after two evaluations
    assert (outcome["trials"], outcome["finished"], outcome["iterations"]) == (3, 3, 3 * 10)

    for name in MEMBERS:  # from here on nobody has the modules
        (apart / name).unlink()
    forget_plugins()
    front = place.json_here("front", "mine", "--budget", "2", "--method", "best_of")
    assert front["objectives"] == {"recall": "max", "mean_gap": "min"}
    for trial in front["trials"]:
        assert trial["params"]["dataset.name"] == "half_moons"
        assert trial["params"]["model.width"] == 8
        assert {(r["method"], r["budget"]) for r in trial["readings"]} == {
            ("none", 1.0),
            ("best_of", 2.0),
            ("obrs", 2.0),
        }
        by_method = {r["method"]: r["metrics"] for r in trial["readings"]}
        assert by_method["best_of"]["acceptance"] == by_method["best_of"]["scores"] ** -1 == 0.5
        assert all(metrics["mean_gap"] >= 0 for metrics in by_method.values())
    limits = {t["params"]["constraint.limit"] for t in front["trials"]}
    assert limits == {0.1, 10.0}
    report = place.folder / "report.html"
    place.here("front", "mine", "--html", report)
    assert "Mean gap" in report.read_text(encoding="utf-8")
    assert not {name.removesuffix(".py") for name in MEMBERS} & sys.modules.keys(), "nor asks for them"
    _, err = place.run("sweep", file, code=2)
    assert "plugin 'half_moons' was not found" in err


def test_the_worked_example_runs_as_printed_and_is_shown(
    on_cluster: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = on_cluster
    assert len(EXAMPLE["spiral.py"].splitlines()) <= 45
    for name, body in EXAMPLE.items():
        (place.folder / name).write_text(body, encoding="utf-8")
    short = (
        "--set",
        "training.iterations=20",
        "--set",
        "evaluation={samples: 100, every: 20}",
        "--set",
        "resources.pack=12",
    )
    outcome = place.json_here("sweep", place.folder / "spiral.yaml", *short)
    assert outcome["finished"] == outcome["trials"] == 12
    (place.folder / "spiral.py").unlink()
    forget_plugins()
    trials = place.json_here("front", "spiral")["trials"]
    assert {t["params"]["model.width"] for t in trials} == {16, 32}
    assert all(set(t["budgets"]) == {"1", "1.5", "2", "4"} for t in trials)

    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{place.home / 'mlflow.db'}")
    app = run_page(sweep="spiral", seeds="1")
    assert not app.exception
    assert len(places(charts(app)["front"])) == 12
    app = run_page("trial", sweep="spiral")
    assert not app.exception
    assert "Metrics by budget" in html(app)
    assert "model.width" in html(app)
    assert "spiral" not in sys.modules


@pytest.mark.slow
def test_an_installed_package_brings_members_by_entry_points(on_cluster: Workplace, installed: Path) -> None:
    place = on_cluster
    place.environment["PYTHONPATH"] = str(installed)
    space = "space={objective.name: [louder], objective.gain: [1, 3]}"
    file, one_pack = place.file(iterations=10, every=10), ("--set", "resources.cpus=2")
    assert place.json("sweep", file, "--set", space, "--seeds", "1", *one_pack)["finished"] == 2
    trials = place.json_here("front", "tiny")["trials"]
    assert sorted(t["params"]["objective.gain"] for t in trials) == [1.0, 3.0]
    with pytest.raises(UserError, match=r"'objective\.name' cannot be 'louder'"):  # here it is not installed
        place.here("sweep", file, "--set", "space={objective.name: [louder]}")
