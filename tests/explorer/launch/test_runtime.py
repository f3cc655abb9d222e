"""The Ray runtime: whose it is, what it leaves behind, and packs that could never be scheduled."""

from __future__ import annotations

import logging
import os
from collections import Counter
from pathlib import Path

import pytest
from ray.exceptions import AuthenticationError

from explorer.errors import UserError
from explorer.launch.runtime import _quiet, cluster_slots, ray_runtime, refusal
from explorer.sweep import load_sweep


@pytest.mark.cluster
@pytest.mark.parametrize("runs", [False, True], ids=["killed", "running"])
def test_a_runtime_of_our_own_is_no_cluster_of_this_machine(
    killed_cluster: str, ray_address: str, runs: bool
) -> None:
    import ray

    if runs:
        (Path(killed_cluster) / "ray" / "ray_current_cluster").write_text(ray_address)
    before = dict(os.environ)
    with ray_runtime(None):
        assert ray.get_runtime_context().gcs_address != ray_address
        assert len(ray.nodes()) == 1
    assert not ray.is_initialized()
    assert dict(os.environ) == before
    with ray_runtime(ray_address):  # ours asked for a token, this one does not
        kept = ray.remote(Counter).remote("aab")  # an actor, as packs are: these are refused first
        assert ray.get(kept.most_common.remote(1), timeout=60) == [("a", 2)]


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
