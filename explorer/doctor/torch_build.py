"""Whether torch and torchvision belong together, and whether torch reaches the GPUs that are here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from explorer.doctor.finding import Finding, Subject

__all__ = ["check_torch"]

_DRIVER = Path("/proc/driver/nvidia/version")
_LONGEST = 120.0
"""Seconds that torch may take to load and to answer."""

_TRY = """
import torch, torchvision
torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)
for card in range(torch.cuda.device_count()):
    assert (torch.ones(2, device=f"cuda:{card}") + 1).sum().item() == 4
    free, total = torch.cuda.mem_get_info(card)
    print(f"{torch.cuda.get_device_name(card)}, {free / 1e9:.3g} of {total / 1e9:.3g} GB free")
"""


def check_torch(subject: Subject) -> Iterator[Finding]:
    """The pair, by what torchvision says it was built for; the driver; a tensor on each card, where there is one.

    torch is loaded in a process of its own, and only where there is a GPU or when asked: it takes seconds.
    """
    try:
        torch, vision = version("torch"), version("torchvision")
    except PackageNotFoundError as error:
        yield Finding(
            "torch", "problem", f"{error.name} is not installed", "run `pip install torch torchvision`"
        )
        return
    wanted = _built_for("torchvision")
    if wanted and wanted != torch.partition("+")[0]:
        yield Finding(
            "torch", "problem",
            f"torchvision {vision} is built for torch {wanted}, got {torch}: `torchvision::nms does not exist`",
            f"run `pip install torch=={wanted} torchvision=={vision.partition('+')[0]}`",
        )  # fmt: skip
        return
    cuda, driver = _cuda_of_torch(), _DRIVER.exists()
    pair = f"torch {torch} with torchvision {vision}"
    if driver and cuda is None:
        yield Finding(
            "torch", "problem", f"{pair}: a GPU is here, and this torch is built without CUDA",
            "install torch from the index of its CUDA builds, with the torchvision of the same",
        )  # fmt: skip
    elif not driver and not subject.deep:
        yield Finding("torch", "ok", f"{pair}; no GPU on this machine")
    else:
        yield _tried(subject, pair, driver)


def _tried(subject: Subject, pair: str, driver: bool) -> Finding:
    subject.tell("loading torch" + (", a tensor on each GPU" if driver else ""))
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRY], capture_output=True, text=True, timeout=_LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return Finding(
            "torch",
            "problem",
            f"{pair} did not answer within {_LONGEST:.0f} s",
            "look at `nvidia-smi`, or reboot",
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        return Finding(
            "torch", "problem", f"{pair} fails: {lines[-1][:200]}", "install the pair of constraints.txt"
        )
    cards = done.stdout.strip().splitlines()
    if driver and not cards:
        return Finding(
            "torch", "problem", f"{pair}: a driver is here, and torch sees no GPU",
            "look at CUDA_VISIBLE_DEVICES and at `nvidia-smi`",
        )  # fmt: skip
    return Finding("torch", "ok", f"{pair}; {'; '.join(cards) or 'no GPU on this machine'}")


def _built_for(package: str) -> str | None:
    """The exact torch that a package asks for."""
    found = (re.match(r"torch\s*\(?==\s*([\w.]+)", line) for line in distribution(package).requires or ())
    return next((match[1] for match in found if match), None)


def _cuda_of_torch() -> str | None:
    """The CUDA that torch is built with, as its own file says, which is read without loading it."""
    file = Path(str(distribution("torch").locate_file("torch/version.py")))
    try:
        match = re.search(r"^cuda\b[^=\n]*=\s*['\"]([\d.]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return None
    return match[1] if match else None
