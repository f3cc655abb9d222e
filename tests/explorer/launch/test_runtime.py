"""The Ray runtime: addresses where nobody answers, and packs that could never be scheduled, are refused."""

from __future__ import annotations

import logging
import os
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from ray.exceptions import AuthenticationError

from explorer.errors import UserError
from explorer.launch.runtime import _quiet, check_reachable, cluster_slots, ray_runtime, refusal
from explorer.sweep import load_sweep


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("ray://127.0.0.1:10001", "not through Ray Client, got 'ray://127.0.0.1:10001'"),
        ("nowhere.invalid:6379", "no Ray cluster answers at 'nowhere.invalid:6379'"),
        ("x" * 200 + ":1", "no Ray cluster answers at"),
        ("127.0.0.1:port", "must be auto or HOST:PORT, such as 10.0.0.1:6379, got '127.0.0.1:port'"),
        ("somewhere", "must be auto or HOST:PORT"),
        ("host:0", "must be auto or HOST:PORT"),
        ("host:99999", "must be auto or HOST:PORT"),
        ("host:6379:1", "must be auto or HOST:PORT"),
        ("\0:6379", r"must be auto or HOST:PORT, .*got '\\x00:6379'"),
        ("x" * 3000 + ":1", "must be auto or HOST:PORT"),
    ],
)
def test_an_address_where_nobody_can_answer_is_refused_at_once(address: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        check_reachable(address)


def test_an_address_where_someone_listens_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        check_reachable(address)
        monkeypatch.setenv("RAY_ADDRESS", address)
        check_reachable("auto")
    check_reachable("local")


@pytest.fixture
def killed_cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A machine on which ``ray start`` has been killed: where it was is still written down."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        monkeypatch.setenv("RAY_TMPDIR", folder)
        (Path(folder) / "ray").mkdir()
        (Path(folder) / "ray" / "ray_current_cluster").write_text("127.0.0.1:1\n")
        yield folder


def test_auto_does_not_wait_for_a_cluster_that_is_no_more(
    killed_cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone on a machine; beside another cluster, Ray finds that one by its process."""
    monkeypatch.setattr("ray._private.services.find_gcs_addresses", set)
    with pytest.raises(UserError, match=r"answers at '127.0.0.1:1', which auto finds: .*refused"):
        check_reachable("auto")
    (Path(killed_cluster) / "ray" / "ray_current_cluster").unlink()
    with pytest.raises(
        UserError, match="no Ray cluster runs on this machine: start one with `ray start --head`"
    ):
        check_reachable("auto")


@pytest.mark.cluster
@pytest.mark.parametrize("runs", [False, True], ids=["killed", "running"])
def test_a_runtime_of_our_own_is_no_cluster_of_this_machine(
    killed_cluster: str, ray_address: str, runs: bool
) -> None:
    import ray

    if runs:
        (Path(killed_cluster) / "ray" / "ray_current_cluster").write_text(ray_address)
    with ray_runtime(None):
        assert ray.get_runtime_context().gcs_address != ray_address
        assert len(ray.nodes()) == 1
    assert not ray.is_initialized()
    with ray_runtime(ray_address):  # which asks for no token, as ours did
        kept = ray.remote(Counter).remote("aab")  # an actor, as packs are: these are refused first
        assert ray.get(kept.most_common.remote(1), timeout=60) == [("a", 2)]


def test_the_variable_names_a_cluster_and_is_named_where_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "http://127.0.0.1:8265")
    with pytest.raises(UserError, match=r"^RAY_ADDRESS must be auto or HOST:PORT"), ray_runtime(None):
        pass
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(UserError, match=r"no Ray cluster answers at '127.0.0.1:1'"), ray_runtime(None):
        pass


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_cluster_that_asks_for_its_token_is_not_called_silent(wrapped: bool) -> None:
    """Without a token Ray says so itself; with none sent, it quotes a traceback, as here."""
    error: Exception = AuthenticationError("Authentication token is missing or incorrect.")
    if wrapped:
        error = ConnectionError("Failed to connect to Ray cluster at 10.0.0.1:6379")
        quoted = "Failed to connect to GCS. Last connection error: Traceback (most recent call last):\n  …\n"
        error.__cause__ = RuntimeError(f"{quoted}ray.exceptions.AuthenticationError: InvalidAuthToken")
    assert refusal("10.0.0.1:6379", error).startswith(
        "the Ray cluster at '10.0.0.1:6379' asks for its token: set RAY_AUTH_MODE=token"
    )
    assert refusal("x:1", ConnectionError("nobody\nthere")) == "no Ray cluster answers at 'x:1': nobody"


def test_quiet_is_kept_to_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_DEDUP_LOGS", "0")
    monkeypatch.delenv("TUNE_WARN_THRESHOLD_S", raising=False)
    before, level = dict(os.environ), logging.getLogger("ray").level
    with _quiet():
        assert os.environ["RAY_DEDUP_LOGS"] == "0", "the user's own word counts"
        assert os.environ["TUNE_WARN_THRESHOLD_S"] == "1000"
        assert logging.getLogger("ray").level == logging.ERROR
    assert (dict(os.environ), logging.getLogger("ray").level) == (before, level)


@pytest.mark.cluster
@pytest.mark.parametrize("named", [True, False], ids=["named", "by the variable"])
def test_slots_are_what_the_cluster_carries(
    ray_address: str, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "" if named else ray_address)
    with ray_runtime(ray_address if named else None):
        slots, gpus = cluster_slots(load_sweep("demo"))
        assert (slots.count, slots.gpu, gpus) == (2, False, 0.0)
        halves, _ = cluster_slots(load_sweep("demo", ["resources.cpus=0.5"]))
        assert halves.count == 4
        with pytest.raises(UserError, match="a pack asks for 3 CPUs and 0 GPUs, the cluster has 2 and 0"):
            cluster_slots(load_sweep("demo", ["resources.cpus=3"]))
        with pytest.raises(UserError, match="a pack asks for 1 CPUs and 1 GPUs"):
            cluster_slots(load_sweep("demo", ["resources.gpus=1"]))
