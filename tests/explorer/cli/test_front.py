"""``tradeoff front`` on a real store."""

import csv
import io
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.cli.front import _cell, front
from explorer.errors import UserError
from explorer.results.catalogue import built_in
from explorer.store.schema import At, metric_key
from explorer.store.stop import Stop
from explorer.tracking import Tracker
from tests.stores import empty_store

LAMBDAS = (0.25, 0.5, 1.0, 2.0)


def metrics(lam, seed):
    """A made trade-off: precision rises with λ, recall falls, and λ = 2 is dominated in nothing but fid."""
    plain = {
        "precision": 0.5 + 0.1 * lam + 0.001 * seed,
        "recall": 0.9 - 0.2 * lam - 0.001 * seed,
        "density": 1.1,
        "coverage": 0.8,
        "fid": 1.0 + lam + 10 * seed,
    }
    ats = [At("obrs", k) for k in (1.0, 1.5, 2.0)]
    reads = {metric_key(at, name): value / at.budget for at in ats for name, value in plain.items()}
    acceptance = {metric_key(at, "acceptance"): 1 / at.budget for at in ats}
    halved = (
        {metric_key(At("halving", 3.0), name): value / 3 for name, value in plain.items()} if seed else {}
    )
    inert = float(lam == 0.25)
    return {**plain, **reads, **acceptance, **halved, "lam_inert": inert, "lam_never_caps": inert}


@pytest.fixture(scope="module")
def uri(tmp_path_factory):
    uri = empty_store(tmp_path_factory.mktemp("store"))
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"precision": "max", "recall": "max"}, "", "", built_in().to_json())
    for lam in LAMBDAS:
        for seed in (0, 1):
            trial = f"{lam}-{seed}"
            tracker.start(
                [(trial, {"objective.name": "pr", "objective.lam": lam, "seed": seed, "batch": 256})]
            )
            tracker.log(trial, 100, metrics(lam, seed))
            tracker.finish(trial)
    tracker.start([("worse", {"objective.name": "kl", "seed": 0, "batch": 256})])
    tracker.log("worse", 100, {"precision": 0.1, "recall": 0.1, "fid": 9.0})
    tracker.finish("worse")
    tracker.start([("cut", {"objective.name": "kl", "seed": 1, "batch": 256})])
    tracker.close_sweep(interrupted=True)
    tracker.open_sweep("unlucky", {"precision": "max", "fid": "min"}, "", "", built_in().to_json())
    tracker.start([("lost", {"seed": 0})])
    tracker.fail("lost", "out of memory")
    tracker.close_sweep(interrupted=False)
    tracker.open_sweep("staged", {"precision": "max", "recall": "max"}, "", "", built_in().to_json())
    for seed in (0, 1):
        base = {"objective.name": "gan", "seed": seed}
        later = {
            **base,
            "objective.name": "pr",
            "objective.lam": 7.0,
            "start.from": f"b{seed}",
            "start.kind": "k",
        }
        tracker.start([(f"b{seed}", base), (f"t{seed}", later)])
        for trial in (f"b{seed}", f"t{seed}"):
            tracker.log(trial, 100, metrics(1.0, seed))
            stop = Stop(20, "x", f"starved: λ r̂ < 1 on {seed}% of the samples")
            tracker.finish(trial, stop.text() if trial == f"t{seed}" else None)
    tracker.close_sweep(interrupted=False)
    return uri


@pytest.fixture(scope="module")
def call(uri):
    app = typer.Typer()
    app.command()(front)

    def call(*arguments, sweep="demo"):
        return CliRunner().invoke(
            app, [sweep, "--tracking-uri", uri, *arguments], catch_exceptions=False, env={"COLUMNS": "200"}
        )

    return call


def test_json_is_one_object_and_nothing_else(call):
    result = call("--json", "--method", "obrs")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert {"hypervolume", "trials", "sweep", "objectives", "reference", "audit"} <= set(document)
    assert document["objectives"] == {"precision": "max", "recall": "max"}
    assert document["reference"] == {"precision": 0.0, "recall": 0.0}
    assert 0.5 < document["hypervolume"] < 1
    trials = {t["id"]: t for t in document["trials"]}
    assert len(trials) == 10
    one = trials["1.0-0"]
    assert one["params"] == {"objective.name": "pr", "objective.lam": 1.0, "seed": 0, "batch": 256}
    assert set(one["metrics"]) >= {"precision", "recall", "density", "coverage", "fid"}
    assert [(r["method"], r["budget"]) for r in one["readings"]] == [("none", 1), ("obrs", 1.5), ("obrs", 2)]
    assert one["readings"][1]["metrics"]["acceptance"] == pytest.approx(1 / 1.5)
    assert one["readings"][2]["metrics"]["precision"] == pytest.approx(0.3)
    assert {i for i, t in trials.items() if t["on_front"]} == {
        f"{lam}-{seed}" for lam in LAMBDAS for seed in (0, 1)
    }
    assert (trials["worse"]["rank"], trials["cut"]["rank"]) == (1, None)
    (group,) = document["audit"]["groups"]
    assert group["precision"] > 0.9
    assert group["recall"] < -0.9
    assert document["audit"]["inert"] == ["0.25-0", "0.25-1"]


def test_without_a_finished_trial_no_hypervolume_is_told(call):
    out = call(sweep="unlucky").stdout
    assert "hypervolume" not in out
    assert "nan" not in out
    assert "1 of 1 trial not finished" in out
    assert "1 failed (lost): out of memory" in out


def test_bases_are_marked_and_stopped_trials_are_told(call):
    out = call("--all", sweep="staged").stdout
    stages = {
        line.split()[0]: line.split()[2]
        for line in out.splitlines()
        if line.strip()[:2] in ("b0", "b1", "t0", "t1")
    }
    assert stages == {"b0": "base", "b1": "base", "t0": "–", "t1": "–"}
    assert "2 stopped early (t0, …): starved\n" in out
    assert "stage" not in call("--all").stdout


def test_table_shows_the_front_by_falling_recall(call):
    out = call().stdout
    assert "demo: 8 of 10 trials on the front" in out
    assert " λ " in out
    assert "batch" not in out, "what does not vary is not shown"
    assert "worse" not in out
    assert out.index("0.25-0") < out.index("0.5-0") < out.index("2.0-1")
    assert "hypervolume 0." in out
    assert "λ audit at K = 1: 4 values × 2 seeds, Spearman with precision +0.98 (p" in out
    assert "λ did nothing (inert): λ 0.25 in 2 of 2 trials (never caps)" in out
    assert "1 of 10 trials not finished" in out


def test_all_shows_dominated_and_unfinished_trials(call):
    out = call("--all").stdout
    assert "worse" in out
    assert "killed" in out


def test_budget_reads_the_trials_there(call):
    out = call("--budget", "2", "--method", "obrs").stdout
    assert "at K = 2" in out
    assert "acceptance" in out
    assert "0.5000" in out
    document = json.loads(call("--json", "--budget", "2", "--method", "obrs").stdout)
    assert (document["method"], document["budget"]) == ("obrs", 2.0)
    assert list(document["trials"][0]["budgets"]) == ["1", "1.5", "2"]
    with pytest.raises(UserError, match=r"\(1, 1.5, 2\), got 3"):
        call("--budget", "3", "--method", "obrs")


def test_table_json_and_report_have_one_audit_at_the_budget_asked_for(call, tmp_path):
    asked = ("--budget", "2", "--method", "obrs")
    told = "λ audit at K = 2, obrs: 4 values × 2 seeds, Spearman with precision +0.98 (p"
    assert told in call(*asked, "--html", str(tmp_path / "report.html")).stdout
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert told in report
    assert "at K = 2, obrs" in report.split("Hypervolume")[1].split("</div>")[0]
    audit = json.loads(call("--json", *asked).stdout)["audit"]
    assert (audit["method"], audit["budget"]) == ("obrs", 2.0)
    assert audit["groups"][0]["precision"] == pytest.approx(0.98, abs=0.01)


def test_a_method_has_its_own_budgets(call):
    out = call("--budget", "3", "--method", "halving").stdout
    assert "demo: 4 of 10 trials on the front at K = 3, halving" in out
    assert call("--budget", "2").stdout == call("--budget", "2", "--method", "obrs").stdout, (
        "that of most trials"
    )
    with pytest.raises(
        UserError, match=r"the budget must be one at which sweep 'demo' was read \(1, 3\), got 2"
    ):
        call("--budget", "2", "--method", "halving")
    with pytest.raises(UserError, match=r"the method must be one .* \(obrs, halving\), got 'obsr'"):
        call("--method", "obsr")


def test_csv_has_a_row_per_trial_and_reading(call):
    every = list(csv.DictReader(io.StringIO(call("--csv").stdout)))
    assert len(every) == 8 * 3 + 4 + 2
    rows = {row["id"]: row for row in every if row["method"] == "none"}
    assert len(rows) == 10
    assert float(rows["0.5-1"]["precision"]) == pytest.approx(0.551)
    (twice,) = [row for row in every if (row["id"], row["method"], row["budget"]) == ("0.5-1", "obrs", "2")]
    assert float(twice["acceptance"]) == 0.5
    assert (rows["0.5-1"]["on_front"], rows["worse"]["on_front"]) == ("True", "False")
    assert rows["worse"]["objective.lam"] == rows["cut"]["precision"] == rows["cut"]["rank"] == ""


def test_misuse_is_told(uri, call):
    with pytest.raises(UserError, match="choose one"):
        call("--json", "--csv")
    app = typer.Typer()
    app.command()(front)
    with pytest.raises(UserError, match="did you mean 'demo'"):
        CliRunner().invoke(app, ["demos", "--tracking-uri", uri], catch_exceptions=False)


def test_a_long_value_is_cut_before_it_is_laid_out():
    assert _cell("x" * 3_000_000) == "x" * 299 + "…"
    assert _cell("kl") == "kl"


def test_a_password_is_refused_after_an_option_and_shown_by_no_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    secret = "postgresql+psycopg2://me:topsecret@127.0.0.1:9/runs"
    for arguments in (["front", "x"], ["promote", "x", "y"], ["fill", "x"], ["doctor"], ["app"]):
        told = CliRunner().invoke(command_line, [*arguments, "--tracking-uri", secret])
        assert "must be an address without a password" in str(told.exception), arguments
        assert "topsecret" not in f"{told.output} {told.exception}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", secret)
    for arguments in (["front", "x"], ["promote", "x", "y"], ["doctor", "--json"]):
        told = CliRunner().invoke(command_line, arguments)
        assert "does not answer" in f"{told.output} {told.exception}", arguments
        assert "topsecret" not in f"{told.output} {told.exception}"
    kept = [one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()]
    assert not any(b"topsecret" in content for content in kept)
