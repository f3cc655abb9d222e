"""Where studies begin and end: states of trials that were trained together, or that files hold."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from trainables.config import TrialConfig
from trainables.safetensors import read_tensors
from trainables.sources.source import Source
from trainables.training.population import Population
from trainables.training.rows import TrialState

__all__ = ["live", "state_of", "trained"]


def trained(
    configs: Sequence[TrialConfig], starts: Sequence[TrialState] | None, source: Source, device: torch.device
) -> list[TrialState]:
    """States at the end of trials of equal length, which are trained together, at random or at ``starts``."""
    population = Population(configs, device=device, source=source, starts=starts)
    population.advance(configs[0].training.iterations)
    states = population.states()
    population.close()
    return states


def live(state: TrialState) -> TrialState:
    """The state with the generator of the last step in place of the average over steps."""
    return {**state, "average": state["generator"]}


def state_of(config: TrialConfig, data: bytes) -> TrialState:
    """A state at the networks of a sampler's file, as ``kept_samplers`` wrote it; the optimiser begins anew.

    ``config`` has the model of the file: other shapes are refused.
    """
    tensors, _ = read_tensors(data)
    population = Population([config])
    state = population.state(0)
    for network, stack in (("generator", population.generator), ("critic", population.critic)):
        found = {}
        for name, shape in stack.shapes.items():
            own = tensors.get(f"{network}.{name}")
            if own is None or own.shape != tuple(shape):
                there = "none" if own is None else str(own.shape)
                raise ValueError(
                    f"the file must have '{network}.{name}' of shape {tuple(shape)}, got {there}; give its own model"
                )
            found[name] = torch.from_numpy(own.copy()).unsqueeze(0)
        state[network] = stack.flatten(found)[0]
        state |= {f"{network}.{b}": torch.from_numpy(tensors[f"{network}.{b}"].copy()) for b in stack.buffers}
    return {**state, "average": state["generator"]}
