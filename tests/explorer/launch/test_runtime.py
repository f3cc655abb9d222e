"""The Ray runtime: addresses where nobody answers, and packs that could never be scheduled, are refused."""

from __future__ import annotations

import logging
import os
import socket

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


def test_an_address_where_someone_listens_or_that_ray_resolves_itself_is_let_through() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        check_reachable(f"127.0.0.1:{listening.getsockname()[1]}")
    check_reachable("auto")


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
def test_slots_are_what_the_cluster_carries(ray_address: str) -> None:
    with ray_runtime(ray_address):
        slots, gpus = cluster_slots(load_sweep("demo"))
        assert (slots.count, slots.gpu, gpus) == (2, False, 0.0)
        halves, _ = cluster_slots(load_sweep("demo", ["resources.cpus=0.5"]))
        assert halves.count == 4
        with pytest.raises(UserError, match="a pack asks for 3 CPUs and 0 GPUs, the cluster has 2 and 0"):
            cluster_slots(load_sweep("demo", ["resources.cpus=3"]))
        with pytest.raises(UserError, match="a pack asks for 1 CPUs and 1 GPUs"):
            cluster_slots(load_sweep("demo", ["resources.gpus=1"]))
