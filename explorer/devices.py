"""Devices by the names that commands take: ``auto``, ``cpu``, ``cuda``, ``cuda:N``."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from explorer.errors import UserError

__all__ = ["check_device", "torch_device"]


def check_device(device: str) -> None:
    """Refuse what is no device, or one that cannot be here; torch is not asked."""
    kind, _, index = device.partition(":")
    if device not in ("auto", "cpu") and not (kind == "cuda" and (not index or index.isdecimal())):
        raise UserError(f"the device must be auto, cpu, cuda or cuda:N, got '{device}'")
    if kind == "cuda" and _lacks_driver():
        raise _missing(device, "no CUDA device")


def torch_device(device: str) -> str:
    """The device by its torch name; ``auto`` is CUDA where there is one."""
    check_device(device)
    import torch

    found = torch.cuda.is_available()
    if device == "auto":
        return "cuda" if found else "cpu"
    kind, _, index = device.partition(":")
    if kind == "cuda" and (not found or int(index or 0) >= torch.cuda.device_count()):
        raise _missing(device, f"{torch.cuda.device_count()} CUDA devices" if found else "no CUDA device")
    return device


def _missing(device: str, found: str) -> UserError:
    return UserError(f"device {device} was asked for, but torch finds {found} here; use device auto")


def _lacks_driver() -> bool:
    """Whether no driver is there through which torch could find a device: NVIDIA's library, AMD's file."""
    if sys.platform != "linux":
        return False
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return not Path("/dev/kfd").exists()
    return False
