"""What a Ray runtime has, for those who only want to know; asked in a process of its own, as Ray always runs here."""

from __future__ import annotations

import json
import subprocess
import sys

from explorer.errors import UserError, brief, root_cause

__all__ = ["main", "offered"]

_LONGEST = 180.0
"""Seconds until Ray must have answered; it starts in some 10."""


def offered(address: str | None) -> tuple[int, float, float]:
    """Nodes, CPUs and GPUs of the cluster at ``address``, or of a runtime that is started and ended for this."""
    command = [sys.executable, "-c", "from explorer.launch.engine.offer import main; main()", address or ""]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    except subprocess.TimeoutExpired:
        raise UserError(f"Ray did not answer within {_LONGEST:.0f} s; look at `ray status`") from None
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        nodes, cpus, gpus = json.loads(lines[-1])
        return int(nodes), float(cpus), float(gpus)
    said = done.stderr.strip().splitlines() or [f"its process ended with code {done.returncode}"]
    raise UserError(brief(said[-1], 400))


def main() -> None:
    """In the process that joins: nodes, CPUs and GPUs as JSON, or a sentence on standard error."""
    from explorer.launch.engine.runtime import ray_runtime

    try:
        with ray_runtime(sys.argv[1] or None):
            import ray

            have: dict[str, float] = ray.cluster_resources()
            alive = sum(1 for node in ray.nodes() if node["Alive"])
            print(json.dumps([alive, have.get("CPU", 0), have.get("GPU", 0)]), flush=True)
    except UserError as error:
        sys.exit(str(error))
    except RuntimeError as error:  # of other versions of Ray or Python
        sys.exit(f"Ray cannot be joined or started: {root_cause(error, 300)}")
