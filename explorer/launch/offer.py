"""What a Ray runtime has, for those who only want to know."""

from __future__ import annotations

from explorer.errors import UserError, root_cause
from explorer.launch.runtime import ray_runtime

__all__ = ["offered"]


def offered(address: str | None) -> tuple[int, float, float]:
    """Nodes, CPUs and GPUs of the cluster at ``address``, or of a runtime of our own, which ends again."""
    try:
        with ray_runtime(address):
            import ray

            have: dict[str, float] = ray.cluster_resources()
            alive = sum(1 for node in ray.nodes() if node["Alive"])
    except RuntimeError as error:  # of other versions of Ray or Python
        raise UserError(f"Ray cannot be joined or started: {root_cause(error, 300)}") from error
    return alive, float(have.get("CPU", 0)), float(have.get("GPU", 0))
