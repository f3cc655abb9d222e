"""Writing samplers down: trained trials, each as one file of tensors that needs neither its data nor its states."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from trainables.safetensors import Array, tensor_bytes
from trainables.samplers.ratios import Ratios

if TYPE_CHECKING:
    from trainables.config import TrialConfig
    from trainables.family import Member
    from trainables.training.trials import Trials

__all__ = ["CARD", "MEMBERS", "RATIOS", "RATIO_CLASSES", "kept_samplers", "kept_size"]

CARD = "tradeoff"
"""The text of the file that says what its tensors are of."""
RATIOS, RATIO_CLASSES = "ratios", "ratio_classes"
MEMBERS = ("model", "objective", "constraint", "generator_constraint")
"""Sections of a trial that sampling needs."""


def kept_size(trials: Trials) -> int:
    """About how many bytes the file of one of these trials has."""
    stacks = (trials.generator, trials.critic)
    buffers = sum(int(np.prod(shape)) for stack in stacks for shape, _ in stack.buffers.values())
    return 4 * sum(stack.size for stack in stacks) + 8 * buffers


def kept_samplers(trials: Trials, ratios: Sequence[Ratios | None]) -> list[bytes | None]:
    """A file per trial, of the networks as they are evaluated; None for one without ratios. O(T · P)."""
    networks = {"generator": trials.final_generator(), "critic": trials.final_critic()}
    stacked: dict[str, Array] = {}
    for network, parameters in networks.items():
        for name, values in (*parameters.items(), *trials.buffers[network].items()):
            stacked[f"{network}.{name}"] = values.detach().cpu().numpy()
    lams = [None if not own else float(own[0]) for own in _log_lams(trials)]
    out: list[bytes | None] = []
    for row, found in enumerate(ratios):
        if found is None:
            out.append(None)
            continue
        tensors = {name: values[row] for name, values in stacked.items()}
        tensors[RATIOS] = np.asarray(found.values, dtype=np.float32)
        if found.classes is not None:
            tensors[RATIO_CLASSES] = np.asarray(found.classes, dtype=np.int64)
        card = _card(trials, trials.configs[row], found.scale, lams[row])
        out.append(tensor_bytes(tensors, {"format": "pt", CARD: json.dumps(card, sort_keys=True)}))
    return out


def _log_lams(trials: Trials) -> list[list[float]]:
    """log λ of every trial, for networks that take it."""
    own = trials.own_log_lam(1)
    return own[0].tolist() if own else [[] for _ in trials.configs]


def _card(trials: Trials, config: TrialConfig, scale: float, log_lam: float | None) -> dict[str, Any]:
    source = trials.source
    return {
        "trial": config.identity(),
        "iteration": trials.iteration,
        "config": config.plain(),
        "members": {section: _member(getattr(config, section)) for section in MEMBERS},
        "shape": list(source.shape),
        "classes": source.classes if trials.networks.conditional else None,
        "names": list(source.classes_names or ()) if trials.networks.conditional else [],
        "span": None if source.span is None else list(source.span),
        "scale": scale,
        "log_lam": log_lam,
    }


def _member(member: Member) -> dict[str, Any]:
    """A member by its class, not by its name: whoever takes it up knows no families."""
    kind = type(member)
    fields = {name: value for name, value in member.plain().items() if name != "name"}
    return {"module": kind.__module__, "class": kind.__qualname__, "fields": fields}
