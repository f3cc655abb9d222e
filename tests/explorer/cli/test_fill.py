"""``tradeoff fill`` on a real store."""

import pytest
import typer
import yaml
from typer.testing import CliRunner

from explorer.cli.fill import fill
from explorer.errors import UserError
from explorer.results.catalogue import built_in
from explorer.store.schema import At, metric_key
from explorer.sweep.document import load_sweep
from explorer.tracking import Tracker
from tests.stores import empty_store

RECALLS = {0.2: 0.9, 0.5: 0.8, 1.5: 0.7, 5: 0.3, 20: 0.2}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    """The demo, with numbers made up from λ; at K = 2 the gap is elsewhere."""
    uri = empty_store(tmp_path_factory.mktemp("store"))
    sweep = load_sweep("demo", seeds=1)
    text = yaml.safe_dump(dict(sweep.document), sort_keys=False)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"precision": "max", "recall": "max"}, "", text, built_in().to_json())
    for point in sweep.space.grid():
        config = sweep.trial(point, 0)
        recall = RECALLS.get(point.get("objective.lam"), 0.1)
        refined = 0.45 if recall == 0.7 else recall
        metrics = {"recall": recall, "precision": 1 - recall}
        metrics |= {metric_key(At("obrs", 2.0), "recall"): refined}
        metrics |= {metric_key(At("obrs", 2.0), "precision"): 1 - refined}
        tracker.start([(config.identity(), config.params())])
        tracker.log(config.identity(), 100, metrics)
        tracker.finish(config.identity())
    tracker.close_sweep(interrupted=False)
    tracker.open_sweep("bare", {"precision": "max"}, "", "", built_in().to_json())
    tracker.close_sweep(interrupted=False)
    return uri


@pytest.fixture
def call(uri):
    app = typer.Typer()
    app.command()(fill)

    def call(*arguments, sweep="demo"):
        return CliRunner().invoke(app, [sweep, "--tracking-uri", uri, *arguments], catch_exceptions=False)

    return call


def test_it_prints_a_sweep_that_loads(call, tmp_path):
    out = call("--points", "4").stdout
    file = tmp_path / "printed.yaml"
    file.write_text(out, encoding="utf-8")
    points = list(load_sweep(file).space.grid())
    assert [1.5 < point["objective.lam"] < 5 for point in points] == [True] * 4


def test_a_stretch_and_a_file(call, tmp_path):
    file = tmp_path / "demo-fill.yaml"
    result = call("--from", "0.72", "--to", "0.78", "--points", "2", "--out", str(file))
    assert f"tradeoff sweep {file}" in result.stderr
    assert result.stdout == ""
    points = list(load_sweep(file).space.grid())
    assert [0.5 < point["objective.lam"] < 1.5 for point in points] == [True] * 2


def test_the_front_at_a_budget_has_gaps_of_its_own(call):
    plain, refined = (yaml.safe_load(call(*more).stdout) for more in ((), ("--budget", "2")))
    assert plain["space"]["objective.lam"] != refined["space"]["objective.lam"]


def test_what_is_there_is_not_written_over(call, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(UserError, match="is there already"):
        call("--out", str(file))
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "sweep", "told"),
    [
        (("--out", "no/such/folder.yaml"), "demo", "there is no folder"),
        (("--out", "fill.txt"), "demo", "ends in .yaml"),
        (("--along", "nothing"), "demo", "got 'nothing'"),
        (("--budget", "7"), "demo", "the budget must be one"),
        ((), "bare", "stored sweep file"),
        ((), "other", "no sweep 'other'"),
    ],
)
def test_refusals(call, arguments, sweep, told):
    with pytest.raises(UserError, match=told):
        call(*arguments, sweep=sweep)
