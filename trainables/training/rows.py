"""What training knows of a trial, a row of a few matrices, and how it is taken out and put back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Protocol

import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.start import meaning
from trainables.training.networks import Networks
from trainables.training.pack_constraint import PackConstraint
from trainables.training.pack_objective import PackObjective

__all__ = ["LAYOUT", "MATRICES", "Rows", "StateMisfit", "TrialState"]

TrialState = dict[str, Tensor]
"""One trial's row of every matrix; enough to go on exactly where it stopped."""

LAYOUT = 2
"""Version of what a ``TrialState`` holds."""

MATRICES = (
    "generator",
    "critic",
    "average",
    "generator_first",
    "generator_second",
    "critic_first",
    "critic_second",
    "sides",
    "losses",
)
"""What every trial has a row of, whatever its networks."""

_HOLDERS = {"average": "generator_constraint", "critic": "constraint"}
"""Networks that are evaluated, and what holds them."""

_MEMORIES = ("objective", "constraint", "generator_constraint")
"""Sections that may remember something, under their own name."""

_MEASURED = {"average": "measured_average", "critic": "measured_critic"}
"""Where the end of a training has them as they are evaluated, if that is not what is trained."""


_BESIDE = {"iteration", "layout", "kinds", "history"}
"""What a state has beside its rows; whoever trains may keep what was measured so far under the last."""


class StateMisfit(ValueError):
    """A state that is none of the trial it was given for.

    Attributes:
        index: which of the trials.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class _Keeper(Protocol):
    """What remembers something of every trial."""

    def states(self) -> list[Tensor]:
        """Of every trial, on the CPU; empty if nothing."""
        ...

    def restore(self, rows: Sequence[Tensor | None]) -> None:
        """Take up what ``states`` gave; None: as at the start."""
        ...


class Rows:
    """The rows of a pack's T trials: of matrices and buffers, and what its objectives and constraints remember.

    Attributes:
        matrices: (T, width) each, by the names in ``MATRICES``; updated in place in training.
    """

    def __init__(
        self,
        configs: Sequence[TrialConfig],
        networks: Networks,
        objective: PackObjective,
        constraints: Mapping[str, PackConstraint],
        device: torch.device,
    ) -> None:
        """Nothing is known yet: :meth:`begin` or :meth:`restore` comes next.

        ``constraints``: by the name under which a state has what they remember.
        """
        self._configs, self._networks, self._device = configs, networks, device
        self._keepers: dict[str, _Keeper] = {"objective": objective, **constraints}
        self._kinds = [_kinds(config) for config in configs]
        self._stacks = {"generator": networks.generator, "critic": networks.critic}
        self.matrices: dict[str, Tensor] = {}

    def begin(self) -> None:
        """Fresh trials, by their seeds."""
        generator, critic = self._networks.initial([config.seed for config in self._configs], self._device)
        zeros = {
            name: torch.zeros(len(self._configs), width, device=self._device)
            for name, width in self._widths().items()
        }
        self.matrices = {**zeros, "generator": generator, "critic": critic, "average": generator.clone()}

    def start(self, bases: Sequence[TrialState | None] | None) -> None:
        """Put fresh trials that have a base where that ended: ``bases`` has a state for every one of them.

        Generator and average both begin at the base's *average*, the model that was measured, with the generator's
        batch statistics; a critic that is kept comes with its own. What held a network at the base is repeated or not:
        where it is, the network begins at the weights under it, with what is remembered of them, else at those that
        were measured. A base that does not take λ as an input will do for trials that do.
        """
        given = [None] * len(self._configs) if bases is None else list(bases)
        if [config.start is None for config in self._configs] != [state is None for state in given]:
            raise ValueError(
                "trials with a base must be given its state, and only they; load it, or train it first"
            )
        due: dict[str, dict[int, TrialState]] = {section: {} for section in _MEMORIES}
        for index, (config, state) in enumerate(zip(self._configs, given, strict=True)):
            if config.start is None or state is None:
                continue
            kept = config.start.critic == "kept"
            alike = _alike(state, self._kinds[index])
            self._take_over(index, state, ["generator", *(["critic"] if kept else [])], alike)
            for section in alike if kept else alike & {_HOLDERS["average"]}:
                due[section][index] = state
        for section, states in due.items():
            self._recall(section, states)

    def _recall(self, section: str, bases: Mapping[int, TrialState]) -> None:
        """What an objective or a constraint remembers, from bases that had the same."""
        if not bases:
            return
        own = self._keepers[section].states()
        for index, state in bases.items():
            found = state.get(section)
            if found is not None and found.shape == own[index].shape:
                own[index] = found
        self._keepers[section].restore(own)

    def _take_over(self, index: int, base: TrialState, networks: Sequence[str], alike: set[str]) -> None:
        """A trial's row of some networks from its base; ``alike``: sections that are those of the base."""
        due = {
            name: own
            for name, own in self._due().items()
            if name == "average" or (name.split(".")[0] in networks and name != "generator")
        }
        for name, measured in _MEASURED.items():
            if measured in base and _HOLDERS[name] not in alike:
                base = {**base, name: base[measured]}
        base = self._with_lam(index, base)
        self._fits(index, base, due)
        self.matrices["generator"][index].copy_(base["average"])
        for name in due:
            network, _, buffer = name.partition(".")
            rows = self._networks.buffers[network][buffer] if buffer else self.matrices[name]
            rows[index].copy_(base[name])

    def _with_lam(self, index: int, base: TrialState) -> TrialState:
        """The state of a base without λ as an input, its generator grown to one that takes λ and does not heed it."""
        found = base.get("average")
        if not self._networks.takes_lam or found is None or found.numel() == self._networks.generator.size:
            return base
        plain = self._networks.shapes_without_lam()
        sizes = [prod(shape) for shape in plain]
        if found.shape != (sum(sizes),):
            return base  # it is of another model, which is told where it does not fit
        own = self.matrices["generator"][index : index + 1].clone()
        parameters = self._networks.generator.unflatten(own).values()
        parts = found.to(self._device).split(sizes)
        for parameter, shape, part in zip(parameters, plain, parts, strict=False):
            parameter.zero_()
            parameter[0][tuple(slice(length) for length in shape)] = part.reshape(shape)
        return {**base, "average": own[0]}

    def restore(self, states: Sequence[TrialState]) -> int:
        """Trials where they stopped, one per state → the iteration they have reached."""
        iterations = {int(state["iteration"]) for state in states}
        if len(iterations) != 1 or len(states) != len(self._configs):
            raise ValueError(
                f"states must be one per trial at one iteration, got {len(states)} for {len(self._configs)} "
                f"trials at iterations {sorted(iterations)}"
            )
        self._check(states)
        self.matrices = {name: self._stacked(states, name) for name in self._widths()}
        for network, stack in self._stacks.items():
            self._networks.buffers[network] = {
                name: self._stacked(states, f"{network}.{name}") for name in stack.buffers
            }
        for name, keeper in self._keepers.items():
            keeper.restore([state.get(name) for state in states])
        return iterations.pop()

    def states(self, rows: Iterable[int], iteration: int) -> list[TrialState]:
        """Copies of some rows, on the CPU, as states at an iteration; each matrix travels once."""
        parts = dict(self.matrices)
        for network, buffers in self._networks.buffers.items():
            parts |= {f"{network}.{name}": values for name, values in buffers.items()}
        on_cpu = {name: values.detach().cpu() for name, values in parts.items()}
        memories = {name: keeper.states() for name, keeper in self._keepers.items()}
        return [
            {
                **{name: values[index].clone() for name, values in on_cpu.items()},
                **{name: found[index] for name, found in memories.items()},
                "kinds": self._kinds[index].clone(),
                "iteration": torch.tensor(iteration),
                "layout": torch.tensor(LAYOUT),
            }
            for index in rows
        ]

    @staticmethod
    def with_measured(state: TrialState, generator: Tensor, critic: Tensor) -> TrialState:
        """The state at the end of a training, and (P,) networks as they are evaluated where that is something else."""
        for name, found in (("average", generator), ("critic", critic)):
            if not torch.equal(found, state[name]):
                state = {**state, _MEASURED[name]: found}
        return state

    def _stacked(self, states: Sequence[TrialState], name: str) -> Tensor:
        return torch.stack([state[name] for state in states]).to(self._device)

    def _widths(self) -> dict[str, int]:
        """Columns of every matrix."""
        generator, critic = (stack.size for stack in self._stacks.values())
        return {
            name: 2 if name in ("sides", "losses") else critic if name.startswith("critic") else generator
            for name in MATRICES
        }

    def _due(self) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
        """Shape and kind of every part of a state but what constraints remember."""
        due: dict[str, tuple[tuple[int, ...], torch.dtype]] = {
            name: ((width,), torch.float32) for name, width in self._widths().items()
        }
        for network, stack in self._stacks.items():
            due |= {f"{network}.{name}": kind for name, kind in stack.buffers.items()}
        return due

    def _check(self, states: Sequence[TrialState]) -> None:
        """Every state has the parts of its trial and no others, each of its shape and kind."""
        due = self._due()
        remembered = {name: keeper.states() for name, keeper in self._keepers.items()}
        optional = {measured: due[name] for name, measured in _MEASURED.items()}
        optional["seconds"] = ((2,), torch.float64)  # whoever trains may keep its account there
        for index, state in enumerate(states):
            vectors = {name: found[index] for name, found in remembered.items()}
            own = {**due, **{name: (tuple(found.shape), found.dtype) for name, found in vectors.items()}}
            own |= {name: kind for name, kind in optional.items() if name in state}
            if "objective" not in state:  # older ones: no objective remembered anything
                del own["objective"]
            odd = sorted((set(state) - _BESIDE) ^ set(own))
            if odd:
                raise StateMisfit(index, f"it lacks or should not have '{odd[0]}'")
            for name in _HOLDERS.values():
                # An unconstrained trial of the first layout had vectors that nobody needs.
                if not vectors[name].numel():
                    del own[name]
            self._fits(index, state, own)

    @staticmethod
    def _fits(index: int, state: TrialState, due: Mapping[str, tuple[tuple[int, ...], torch.dtype]]) -> None:
        for name, (shape, kind) in due.items():
            if name not in state:
                raise StateMisfit(index, f"it lacks '{name}'")
            found = state[name]
            if tuple(found.shape) != shape or found.dtype != kind:
                raise StateMisfit(
                    index,
                    f"its '{name}' is {tuple(found.shape)} of {found.dtype}, the trial has {shape} of {kind}",
                )


def _kinds(config: TrialConfig) -> Tensor:
    """What a trial's memories are of, a line per section, as bytes: a state holds tensors alone.

    Of a constraint it is all but the fields that may differ within a pack, such as L.
    """
    held = (getattr(config, section) for section in _MEMORIES if section != "objective")
    lines = [meaning(config.objective)]
    for one in held:
        fixed = {name: value for name, value in one.changed().items() if name not in one.rows}
        lines.append(json.dumps([one.name, one.version, fixed], sort_keys=True))
    return torch.tensor(list("\n".join(lines).encode()), dtype=torch.uint8)


def _alike(base: TrialState, own: Tensor) -> set[str]:
    """Sections that are the same at a base; none of one that does not say."""
    if "kinds" not in base:
        return set()
    theirs, ours = (bytes(kinds.tolist()).decode().split("\n") for kinds in (base["kinds"], own))
    return {section for section, a, b in zip(_MEMORIES, theirs, ours, strict=False) if a == b}
