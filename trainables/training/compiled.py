"""Functions compiled by torch, as training asks for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch

__all__ = ["check_compiler", "compiled"]

_OPTIONS: dict[str, Any] = {"realize_reads_threshold": 0}
"""What is read more than once is computed once. Inductor would rather compute the four slices that a strided
convolution puts beside each other from the layer before, each anew: nearly half of the time of a pack of DCGANs."""


def check_compiler(device: torch.device) -> None:
    """Refuse to compile where no compiler is: for a CPU torch writes C++, for a GPU a little C.

    Raises:
        ValueError: none is on the PATH.
    """
    needed, names = ("C++", ["g++"]) if device.type == "cpu" else ("C", ["gcc", "clang"])
    own = os.environ.get("CXX" if device.type == "cpu" else "CC")
    if not any(shutil.which(name) for name in ([own] if own else names)):
        raise ValueError(
            f"training.compile needs a {needed} compiler, and {own or ' or '.join(names)} is not on the PATH; install "
            "it, or leave compile out"
        )


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function for inputs of fixed shapes, compiled when it is first called: up to a minute."""
    made: Callable[..., Any] = torch.compile(_by_itself(function), dynamic=False, options=_OPTIONS)
    return made


def _by_itself(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with code of its own.

    torch counts the compilations of a code object, whatever closure it belongs to, and after eight of them runs it
    eagerly: a process that trains one pack after another would come to that.
    """
    if not isinstance(function, FunctionType):
        return function
    own = FunctionType(
        function.__code__.replace(),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    own.__kwdefaults__ = function.__kwdefaults__
    return own
