"""The Ray runtime of the process that is there for it: whose it is, and what it carries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from ray.exceptions import AuthenticationError

from explorer.launch.engine.runtime import refusal


def in_a_process_of_its_own(code: str) -> str:
    """What some code prints that enters a runtime."""
    begin = "from explorer.launch.engine.runtime import *\nimport ray\n"
    done = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.parametrize("runs", [False, True], ids=["killed", "running"])
def test_a_runtime_of_our_own_is_no_cluster_of_this_machine(
    killed_cluster: str, ray_address: str, runs: bool
) -> None:
    if runs:
        (Path(killed_cluster) / "ray" / "ray_current_cluster").write_text(ray_address)
    code = "with ray_runtime(None):\n    print(ray.get_runtime_context().gcs_address, len(ray.nodes()))"
    address, nodes = in_a_process_of_its_own(code).split()
    assert address != ray_address
    assert nodes == "1"


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


SLOTS = """
from explorer.errors import UserError
from explorer.sweep.resources import ResourceSpec
with ray_runtime({address!r}):
    print(cluster_slots(ResourceSpec()), cluster_slots(ResourceSpec(cpus=0.5))[0].count)
    print(cluster_slots(ResourceSpec(gpus=1.0), gpus=1.0))  # its card is away and may come back
    for wish in (ResourceSpec(cpus=3.0), ResourceSpec(gpus=1.0)):
        try:
            cluster_slots(wish)
        except UserError as error:
            print(error)
"""


@pytest.mark.cluster
@pytest.mark.parametrize("named", [True, False], ids=["named", "by the variable"])
def test_slots_are_what_the_cluster_carries(
    ray_address: str, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "" if named else ray_address)
    told = in_a_process_of_its_own(SLOTS.format(address=ray_address if named else None)).splitlines()
    assert told[0] == "(Slots(count=2, gpu=False), 0.0) 4"
    assert told[1] == "(Slots(count=1, gpu=True), 1.0)"
    assert told[2].startswith("a pack asks for 3 CPUs and 0 GPUs, the cluster has 2 and 0")
    assert told[3].startswith("a pack asks for 1 CPUs and 1 GPUs")
