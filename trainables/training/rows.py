"""What training knows of a trial, a row of a few matrices, and how it is taken out and put back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import torch
from torch import Tensor

from trainables.config import TrialConfig
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


class StateMisfit(ValueError):
    """A state that is none of the trial it was given for.

    Attributes:
        index: which of the trials.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


class Rows:
    """The rows of a pack's T trials: of matrices and buffers, and what its objectives and constraints remember.

    Attributes:
        matrices: (T, width) each, by the names in ``MATRICES``; updated in place in training.
    """

    def __init__(
        self,
        trials: int,
        networks: Networks,
        objective: PackObjective,
        constraints: Mapping[str, PackConstraint],
        device: torch.device,
    ) -> None:
        """Nothing is known yet: :meth:`begin` or :meth:`restore` comes next.

        ``constraints``: by the name under which a state has what they remember.
        """
        self._trials, self._networks, self._device = trials, networks, device
        self._objective, self._constraints = objective, constraints
        self._stacks = {"generator": networks.generator, "critic": networks.critic}
        self.matrices: dict[str, Tensor] = {}

    def begin(self, seeds: Sequence[int]) -> None:
        """Fresh trials, one per seed."""
        generator, critic = self._networks.initial(seeds, self._device)
        zeros = {
            name: torch.zeros(self._trials, width, device=self._device)
            for name, width in self._widths().items()
        }
        self.matrices = {**zeros, "generator": generator, "critic": critic, "average": generator.clone()}

    def start(self, configs: Sequence[TrialConfig], bases: Sequence[TrialState | None] | None) -> None:
        """Put fresh trials that have a base where that ended: ``bases`` has a state for every one of them.

        Generator and average both begin at the base's *average*, the model that was measured, with the generator's
        batch statistics. A critic that is kept comes with its own, and with what the objective and the constraint
        remember of it, where they are alike. A base that does not take λ as an input will do for trials that do.
        """
        given = [None] * self._trials if bases is None else list(bases)
        if [config.start is None for config in configs] != [state is None for state in given]:
            raise ValueError(
                "trials with a base must be given its state, and only they; load it, or train it first"
            )
        kept = {}
        for index, (config, state) in enumerate(zip(configs, given, strict=True)):
            if config.start is None or state is None:
                continue
            if config.start.critic == "kept":
                kept[index] = state
            self._take_over(index, state, ["generator", *(["critic"] if index in kept else [])])
        if kept:
            self._recall(configs, kept)

    def _recall(self, configs: Sequence[TrialConfig], kept: Mapping[int, TrialState]) -> None:
        """What objectives and constraints remember of critics that are kept, where trial and base have the same."""
        for section, keeper in (
            ("objective", self._objective),
            ("constraint", self._constraints["constraint"]),
        ):
            own = keeper.states()
            for index, state in kept.items():
                start, found = configs[index].start, state.get(section)
                base = None if start is None else start.config
                alike = base is None or type(getattr(base, section)) is type(getattr(configs[index], section))
                if alike and found is not None and found.shape == own[index].shape:
                    own[index] = found
            keeper.restore(own)

    def _take_over(self, index: int, base: TrialState, networks: Sequence[str]) -> None:
        """A trial's row of some networks from its base."""
        due = {
            name: own
            for name, own in self._due().items()
            if name == "average" or (name.split(".")[0] in networks and name != "generator")
        }
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
        if len(iterations) != 1 or len(states) != self._trials:
            raise ValueError(
                f"states must be one per trial at one iteration, got {len(states)} for {self._trials} "
                f"trials at iterations {sorted(iterations)}"
            )
        self._check(states)
        self.matrices = {name: self._stacked(states, name) for name in self._widths()}
        for network, stack in self._stacks.items():
            self._networks.buffers[network] = {
                name: self._stacked(states, f"{network}.{name}") for name in stack.buffers
            }
        self._objective.restore([state.get("objective") for state in states])
        for name, constraint in self._constraints.items():
            constraint.restore([state[name] for state in states])
        return iterations.pop()

    def states(self, rows: Iterable[int], iteration: int) -> list[TrialState]:
        """Copies of some rows, on the CPU, as states at an iteration; each matrix travels once."""
        parts = dict(self.matrices)
        for network, buffers in self._networks.buffers.items():
            parts |= {f"{network}.{name}": values for name, values in buffers.items()}
        on_cpu = {name: values.detach().cpu() for name, values in parts.items()}
        memories = self._objective.states()
        remembered = {name: constraint.states() for name, constraint in self._constraints.items()}
        return [
            {
                **{name: values[index].clone() for name, values in on_cpu.items()},
                "objective": memories[index],
                **{name: found[index] for name, found in remembered.items()},
                "iteration": torch.tensor(iteration),
                "layout": torch.tensor(LAYOUT),
            }
            for index in rows
        ]

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
        memories = self._objective.states()
        remembered = {name: constraint.states() for name, constraint in self._constraints.items()}
        for index, state in enumerate(states):
            vectors = {name: found[index] for name, found in remembered.items()}
            own = {**due, **{name: (tuple(found.shape), found.dtype) for name, found in vectors.items()}}
            if "objective" in state:  # older states have none: no objective remembered anything
                own["objective"] = (tuple(memories[index].shape), memories[index].dtype)
            if "seconds" in state:  # whoever trains may keep its account there
                own["seconds"] = ((2,), torch.float64)
            odd = sorted((set(state) - {"iteration", "layout"}) ^ set(own))
            if odd:
                raise StateMisfit(index, f"it lacks or should not have '{odd[0]}'")
            for name, found in vectors.items():
                # An unconstrained trial of the first layout had vectors that nobody needs.
                if not found.numel():
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
