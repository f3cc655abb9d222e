"""Places: the sweep's own store and folders win over the defaults; a memo belongs to one question."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.places import (
    NewestCheckpoints,
    checkpoint_files,
    checkpoint_place,
    made_checkpoint_files,
    memo_of,
    opened_spool,
    spool_folder,
    tracking_uri,
)
from explorer.sweep import load_sweep
from explorer.tracking.entries import Entry, Finish
from tests.object_store import ObjectStore
from trainables.training.local_files import LocalFiles


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


def test_the_sweep_says_where_its_runs_are_or_the_data_folder_does(home: Path) -> None:
    assert tracking_uri(load_sweep("demo")) == f"sqlite:///{home / 'mlflow.db'}"
    assert tracking_uri(load_sweep("demo", ["tracking.uri=http://somewhere"])) == "http://somewhere"


def test_results_wait_in_a_place_of_their_store_whatever_its_password_and_wherever_one_is(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def place(uri: str, *more: str) -> Path:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
        return spool_folder(load_sweep("demo", more))

    old, new = (place(f"postgresql://mlflow:{word}@far/runs") for word in ("old", "new"))
    assert old == new
    assert place("http://far:5000") == place("http://far:5000/") != old
    assert place("http://far:5000", "tracking.experiment=other") != place("http://far:5000")
    for folder in ("one", "two"):
        (home / folder).mkdir()
    monkeypatch.chdir(home / "one")
    here = place("sqlite:///runs.db")
    monkeypatch.chdir(home / "two")
    assert place("sqlite:///runs.db") != here == place(f"sqlite:///{home}/one/runs.db")


def test_a_launch_hears_of_results_that_wait_for_another_store(home: Path) -> None:
    before, now = (load_sweep("demo", [f"tracking.uri=http://{name}"]) for name in ("before", "now"))
    told: list[str] = []
    with opened_spool(before, told.append) as spool:
        spool.put([Entry("a", 1, Finish())])
    with opened_spool(before, told.append):
        assert told == []
    with opened_spool(now, told.append):
        pass
    assert told == [
        "another store, http://before (experiment 'tradeoff-explorer'), still lacks 1 result of an earlier launch; "
        "a launch with that store sends what waits"
    ]


def test_checkpoints_lie_in_the_data_folder_unless_storage_is_given(home: Path) -> None:
    def place(storage: str) -> str:
        return checkpoint_place(load_sweep("demo", [f"resources.storage={storage}"]))

    assert checkpoint_place(load_sweep("demo")) == str(home / "checkpoints")
    assert place(f"{home}/far") == place(f"file://{home}/far") == str(home / "far")
    assert place("~/x") == str(Path.home() / "x")
    assert place("s3://bucket/x/") == "s3://bucket/x"


def test_the_newest_checkpoint_is_read_off_the_names(home: Path) -> None:
    newest = NewestCheckpoints(LocalFiles(home))
    assert newest("absent") == 0
    folder = home / "a"
    folder.mkdir()
    for name in ("900.pt", "1000.pt", "note.txt", ".1200.pt.7.partial", "best.pt"):
        (folder / name).touch()
    assert newest("a") == 1000
    (folder / "1100.pt").touch()
    assert newest("a") == 1100, "in a folder it is looked for every time"


def name(*assignments: str) -> str:
    return Path(memo_of(load_sweep("gaussians-8-search", assignments)).document.place).name


def test_a_memo_is_of_one_question(home: Path) -> None:
    assert (
        Path(memo_of(load_sweep("gaussians-8-search")).document.place).parent
        == home / "checkpoints" / "studies"
    )
    asked = name()
    assert asked.startswith("gaussians-8-search-")
    same = [
        name("resources.cpus=2", "search.trials=99", "evaluation.every=7", "description=other"),
        name("seeds=5"),
        name("space={objective.lam: {log_range: [0.5, 2]}}"),
    ]
    assert set(same) == {asked}
    others = [
        name("training.iterations=7"),
        name("search.objectives={fid: min}"),
        name("search.name=nsga3"),
        name("search.seed=1"),
        name("search.batch=3"),
        name("search.population=5"),
        name("search.constraints={recall: '>= 0.1'}"),
        name("search.warm_start=other"),
        name("name=other"),
    ]
    assert len({asked, *others}) == 10


def test_a_folder_for_checkpoints_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where a folder should be")
    sweep = load_sweep("demo", [f"resources.storage={tmp_path / 'file' / 'inside'}"])
    with pytest.raises(
        UserError, match=r"checkpoints cannot be kept in '.*inside' \(Not a directory\); set resources"
    ):
        made_checkpoint_files(sweep)
    kept = load_sweep("demo", [f"resources.storage={tmp_path / 'a' / 'b'}"])
    assert made_checkpoint_files(kept).place() == str(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_in_a_store_all_names_are_listed_at_once(object_store: ObjectStore) -> None:
    files = checkpoint_files(load_sweep("demo", [f"resources.storage={object_store.address('listed')}"]))
    trials = [f"{number:012x}" for number in range(40)]
    files.each(lambda trial: files.write(trial, "20.pt", b""), trials)
    files.document("demo-1").save("{}")
    before = object_store.requests
    newest = NewestCheckpoints(files)
    assert [newest(trial) for trial in [*trials, "absent", "studies"]] == [20] * 40 + [0, 0]
    assert object_store.requests - before == 1
    for trial in trials[:2]:
        files.write(trial, "30.pt", b"")
    newest.forget(trials[0])
    assert [newest(trial) for trial in trials[:3]] == [30, 20, 20], (
        "what was trained since is asked for again"
    )


def test_a_store_that_cannot_be_used_is_refused_before_anything_is_trained(
    object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(address: str) -> str:
        with pytest.raises(UserError) as raised:
            made_checkpoint_files(load_sweep("demo", [f"resources.storage={address}"]))
        return str(raised.value)

    here = object_store.address("refused")
    elsewhere = here.replace(f"s3://{object_store.bucket}/", "s3://no-such-bucket/")
    assert refusal(elsewhere) == (
        "checkpoints cannot be kept in 's3://no-such-bucket/refused' (there is no bucket 'no-such-bucket'); "
        "set resources.storage to another place"
    )
    sweep = load_sweep("demo", [f"resources.storage={elsewhere}"])
    with pytest.raises(UserError, match="there is no bucket"):  # a plan only reads
        NewestCheckpoints(checkpoint_files(sweep))("a")
    assert "Unexpected query parameter" in refusal(f"{here}&nonsense=1")
    for name, value in object_store.reader.items():
        monkeypatch.setenv(name, value)
    assert "(access was denied: ACCESS_DENIED" in refusal(here)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-wrong-secret")
    told = refusal(here)
    assert "access was denied" in told
    assert "a-wrong-secret" not in told
