"""Whether a Ray is there to run packs on: the cluster that was named, or one of our own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from explorer.doctor.finding import Finding, Subject
from explorer.errors import UserError
from explorer.launch.addresses import VARIABLE, check_reachable

__all__ = ["check_ray"]


def check_ray(subject: Subject) -> Iterator[Finding]:
    """Ray is installed; a cluster that is named answers. ``deep`` joins it, or starts one, and asks what it has.

    A cluster of other versions of Ray or Python, or that wants another token, refuses those who join.
    """
    try:
        ray = version("ray")
    except PackageNotFoundError:
        yield Finding("Ray", "problem", "Ray is not installed", "run `pip install 'ray[tune]'`")
        return
    named = subject.address or os.environ.get(VARIABLE) or None
    try:
        if named is not None:
            check_reachable(named)
        if not subject.deep:
            told = "sweeps start one of their own" if named is None else f"somebody listens at {named}"
            yield Finding("Ray", "ok", f"Ray {ray}; {told} (--deep tries it)")
            return
        subject.tell("starting Ray" if named is None else f"joining the cluster at {named}")
        yield Finding("Ray", "ok", f"Ray {ray}; {_joined(named)}")
    except UserError as error:
        yield Finding("Ray", "problem", str(error), "start the cluster, or leave the address out")


def _joined(address: str | None) -> str:
    """What the runtime offers."""
    from explorer.launch.engine.offer import offered

    nodes, cores, gpus = offered(address)
    where = "one of our own started" if address is None else f"the cluster at {address} took us"
    return f"{where}: {nodes} node{'s' * (nodes != 1)}, {cores:g} CPUs, {gpus:g} GPUs"
