"""What a trial's run says of the trial: enough to train the very same trial again."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from explorer.launch.packing import PlannedTrial
from explorer.launch.papers import papers
from explorer.launch.portraits import Portraits
from explorer.store.schema import COMMAND, NOTE, REPEAT_FILE, SWEEP_FILE, THIS_RUN
from explorer.sweep import load_sweep
from explorer.sweep.plugins import Plugin
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, small_sweep


def portraits(sweep: Sweep) -> Portraits:
    return Portraits(sweep, papers(sweep)[SWEEP_FILE])


@pytest.mark.parametrize("preset", ["demo", "gaussians-8-lipschitz", "fashion-gan"])
def test_the_file_of_a_trial_names_the_same_trial(preset: str, tmp_path: Path) -> None:
    sweep = load_sweep(preset)
    of = portraits(sweep)
    for point in list(sweep.space.grid())[:3]:
        config = sweep.repeats(point)[-1]
        run = of.of(PlannedTrial(config.identity(), config, 0, 8))
        file = tmp_path / REPEAT_FILE
        file.parent.mkdir(exist_ok=True)
        file.write_text(str(run.files[REPEAT_FILE]), encoding="utf-8")
        again = load_sweep(file)
        (same,) = [c.identity() for p in again.space.grid() for c in again.repeats(p)]
        assert same == config.identity()


def test_a_run_says_who_it_is_and_how_it_is_repeated(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    trial, config = next(iter(configs(sweep).items()))
    run = portraits(sweep).of(PlannedTrial(trial, config, 0, 8))
    assert (run.trial, run.params, run.name) == (trial, config.params(), "lam 1")
    command = run.tags[COMMAND]
    store = f"MLFLOW_TRACKING_URI={shlex.quote(sweep.tracking.uri or '')} "
    assert command == (
        f"{store}mlflow artifacts download -r {THIS_RUN} -a repeat -d repeat-{trial} && "
        f"tradeoff sweep repeat-{trial}/repeat/repeat.yaml"
    )
    assert run.tags["tradeoff.version"]
    assert "thumb.png" not in run.tags[NOTE]
    over = portraits(sweep).pictured(PlannedTrial(trial, config, 0, 8))
    assert list(over) == [NOTE]
    assert "thumb.png" in over[NOTE]


def test_who_only_reads_a_finished_trial_does_not_say_that_it_trained_it(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    trial, config = next(iter(configs(sweep).items()))
    planned = PlannedTrial(trial, config, 8, 8, finished=True)
    run = portraits(sweep).of(planned)
    assert (run.name, run.tags, run.files) == ("lam 1", {}, {})
    assert portraits(sweep).of(replace(planned, finished=False)).tags


def test_a_server_is_not_spelled_out(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, tracking={"uri": "http://host:5000"})
    told = portraits(sweep).whole()
    assert told.tags[COMMAND].startswith("mlflow artifacts download -r {this-run} -a repeat -d repeat-small ")


def test_modules_beside_the_sweep_file_go_with_its_runs(tmp_path: Path) -> None:
    source = "class Nothing:\n    pass\n"
    (tmp_path / "lone.py").write_text(source)
    package = tmp_path / "several"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text(source)
    plugins = (Plugin("lone", str(tmp_path / "lone.py")), Plugin("several", str(package)), Plugin("json"))
    sweep = replace(small_sweep(tmp_path, tracking={"uri": "http://host:5000"}), plugins=plugins)
    trial, config = next(iter(configs(sweep).items()))
    of = portraits(sweep)
    run, whole = of.of(PlannedTrial(trial, config, 0, 8)), of.whole()
    own = {
        "repeat/lone.py": source.encode(),
        "repeat/several/__init__.py": b"",
        "repeat/several/part.py": source.encode(),
    }
    for files in (run.files, whole.files):
        assert {name: content for name, content in files.items() if name != REPEAT_FILE} == own
    assert run.tags[COMMAND] == (
        f"mlflow artifacts download -r {THIS_RUN} -a repeat -d repeat-{trial} && "
        f"tradeoff sweep repeat-{trial}/repeat/repeat.yaml"
    )


def test_a_sweep_says_where_its_newest_launch_trained(tmp_path: Path) -> None:
    of = portraits(small_sweep(tmp_path))
    assert of.places() == {}
    of.trained({"tradeoff.host": "b", "tradeoff.device": "NVIDIA H200"})
    of.trained({"tradeoff.host": "a", "tradeoff.device": "NVIDIA H200"})
    assert of.places() == {"tradeoff.host": "a, b", "tradeoff.device": "NVIDIA H200"}
