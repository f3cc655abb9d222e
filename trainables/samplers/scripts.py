"""A network of the user's own in a TorchScript file: it is called, and whatever it does amiss becomes one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import torch
from torch import Tensor

from trainables.features.torchscript import load_torchscript

__all__ = ["Script"]

LATENTS = ("latent", "z_dim", "latent_dim")
"""Attributes in which a generator may say what its latents are."""


class Script:
    """A network in a file.

    Attributes:
        what: how sentences begin that speak of it.
        random: whether it draws random numbers; equal seeds then give equal ones.
    """

    def __init__(self, path: str | Path, role: str, device: torch.device, remedy: str = "") -> None:
        """``role``: generator or critic; ``remedy``: what to do where it does not take what it is given."""
        file = Path(path).expanduser()
        self.what = f"the {role} {file}"
        self.random = True
        self._device, self._remedy = device, remedy
        self._module = load_torchscript(file, device)
        for values in self._module.parameters():
            values.requires_grad_(False)
        kinds = (p.dtype for p in self._module.parameters() if p.is_floating_point())
        self._kind = next(kinds, torch.float32)

    def latent(self) -> tuple[int, ...] | None:
        """The shape of one latent, if the network has an attribute that says it."""
        for name in LATENTS:
            told = getattr(self._module, name, None)
            shape = tuple(told) if isinstance(told, list | tuple) else (told,)
            if all(type(size) is int and size > 0 for size in shape):
                return shape
        return None

    def __call__(self, x: Tensor, seed: int = 0) -> Tensor:
        """What it makes of x (m, *shape), in float32; its own random numbers are those of a seed.

        Gradients flow through it, or a sentence says that they cannot.
        """
        with _numbers_of(seed, self._device) if self.random else nullcontext():
            found = self._passed(x.to(self._device, self._kind))
        if not isinstance(found, Tensor) or found.ndim < 1 or len(found) != len(x):
            kind = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else type(found).__name__
            raise ValueError(f"{self.what} must return one tensor with a row per sample, got {kind}")
        if torch.is_grad_enabled() and x.requires_grad and not found.requires_grad:
            raise ValueError(
                f"{self.what} must let gradients through for samples to be moved along them, but it stops them; save "
                "it without no_grad, detach and rounding, or choose among draws, as obrs does"
            )
        return found.float()

    def _passed(self, x: Tensor) -> object:
        try:
            return self._module(x)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ValueError(
                f"{self.what} must take {tuple(x.shape[1:])} for each of {len(x)} samples, but it failed: {reason}"
                f"{self._remedy}"
            ) from error


@contextmanager
def _numbers_of(seed: int, device: torch.device) -> Iterator[None]:
    """Inside, torch draws the random numbers of a seed; outside they go on as if nothing had been."""
    card = (
        (torch.cuda.current_device() if device.index is None else device.index) if _is_card(device) else None
    )
    with torch.random.fork_rng(devices=[] if card is None else [card]):
        torch.default_generator.manual_seed(seed)
        if card is not None:
            torch.cuda.default_generators[card].manual_seed(seed)
        yield


def _is_card(device: torch.device) -> bool:
    return device.type == "cuda"
