"""A store that is away is waited for, for a while; what it refuses is told at once, without credentials."""

from __future__ import annotations

import threading

import pytest

from explorer.storage import arrow_files, open_files
from explorer.storage.arrow_files import patiently
from tests.object_store import ObjectStore
from trainables.training.state_files import StateFiles, Unreachable


@pytest.fixture
def files(object_store: ObjectStore, request: pytest.FixtureRequest) -> StateFiles:
    return open_files(object_store.address(request.node.name))


def test_a_store_that_is_away_for_some_seconds_is_waited_for(
    files: StateFiles, object_store: ObjectStore
) -> None:
    files.write("a", "5.pt", b"before")
    object_store.gate.shut()
    back = threading.Timer(2.5, object_store.gate.open)
    back.start()
    files.write("a", "5.pt", b"after")
    back.join()
    assert files.read("a", "5.pt") == b"after"


def test_a_store_that_stays_away_is_unreachable_and_nothing_is_lost(
    files: StateFiles, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_files, "PAUSES", ())
    files.write("a", "5.pt", b"before")
    object_store.gate.shut()
    try:
        with pytest.raises(Unreachable) as raised:
            files.write("a", "5.pt", b"after")
    finally:
        object_store.gate.open()
    told = str(raised.value)
    assert "it could not be reached (NETWORK_CONNECTION in PutObject" in told
    assert files.place("a", "5.pt") in told
    assert object_store.writer["AWS_SECRET_ACCESS_KEY"] not in told
    assert files.read("a", "5.pt") == b"before"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("AWS Error ACCESS_DENIED during PutObject operation: no", PermissionError),
        ("AWS Error NO_SUCH_KEY during CopyObject operation: no", FileNotFoundError),
        ("AWS Error NO_SUCH_BUCKET during PutObject operation: no", FileNotFoundError),
    ],
)
def test_a_refusal_is_not_asked_for_twice(said: str, kind: type[OSError]) -> None:
    asked: list[int] = []

    def ask() -> None:
        asked.append(1)
        raise OSError(said)

    with pytest.raises(kind):
        patiently("s3://bucket/x", ask)
    assert asked == [1]


def test_what_may_pass_is_asked_again_as_often_as_there_are_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_files, "PAUSES", (0.0, 0.0, 0.0))
    asked: list[int] = []

    def ask() -> str:
        asked.append(1)
        if len(asked) < 4:
            raise OSError("AWS Error SLOW_DOWN during PutObject operation: please (Request ID: 1)")
        return "done"

    assert patiently("s3://bucket/x", ask) == "done"
    with pytest.raises(Unreachable, match=r"it could not be reached \(SLOW_DOWN in PutObject: please\)"):
        patiently("s3://bucket/x", never)


def never() -> None:
    raise OSError("AWS Error SLOW_DOWN during PutObject operation: please (Request ID: 1)")


def test_all_trials_are_listed_by_a_request_for_every_thousand_files(
    files: StateFiles, object_store: ObjectStore
) -> None:
    files.each(lambda number: files.write(f"{number:012x}", "5.pt", b""), range(1100))
    before = object_store.requests
    assert len(files.listing()) == 1100
    assert object_store.requests - before == 2
