"""Constraints of a pack whose trials have constraints of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from trainables.constraints.constraint import Constraint, Parameters
from trainables.training.groups import Group, Groups
from trainables.training.stack import Buffers, Stack

__all__ = ["PackConstraint"]

_Call = Callable[[Group[Constraint], Parameters, Tensor | None], Parameters]


class PackConstraint:
    """Constraints of a pack's critics, or of its generators.

    Trials with equal constraints form a group; a group keeps one state (G, U) for all its rows.
    """

    def __init__(self, members: Sequence[Constraint], critic: Stack, device: torch.device) -> None:
        self._critic = critic
        self._groups = Groups(members, device)
        self._states: list[Tensor | None] = []
        for group in self._groups.groups:
            group.member.check_critic(critic)
            start = group.member.initial(critic)
            self._states.append(
                None if start is None else start.to(device).expand(len(group.rows), -1).clone()
            )
        self.penalises = self._any("penalty")
        self._projects = self._any("project")

    def _any(self, hook: str) -> bool:
        """Whether some member defines a hook, which is otherwise not worth calling."""
        return any(_defines(group.member, hook) for group in self._groups.groups)

    def _apply(self, hook: str, parameters: Parameters, call: _Call) -> Parameters:
        """What a hook makes of the parameters, group by group; what no member touches stays the same tensor."""
        out = dict(parameters)
        for group, state in zip(self._groups.groups, self._states, strict=True):
            if not _defines(group.member, hook):
                continue
            own = {name: group.pick(p) for name, p in parameters.items()}
            for name, values in call(group, own, state).items():
                if values is not own[name]:
                    out[name] = values if group.whole else out[name].index_copy(0, group.rows, values)
        return out

    def weights(self, parameters: Parameters, update: bool) -> Parameters:
        """What networks are trained with."""
        return self._apply(
            "weights",
            parameters,
            lambda g, own, state: g.member.weights(self._critic, own, g.columns, state, update),
        )

    def final_weights(self, parameters: Parameters) -> Parameters:
        """What networks are evaluated with."""
        return self._apply(
            "final_weights",
            parameters,
            lambda g, own, state: g.member.final_weights(self._critic, own, g.columns),
        )

    def penalty(
        self,
        score: Callable[[Parameters, Tensor, Callable[[Tensor], Tensor]], Tensor],
        parameters: Parameters,
        real: Tensor,
        fake: Tensor,
        uniform: Tensor,
    ) -> Tensor:
        """(T,) penalties, 0 where a member has none; ``score`` applies given parameters of some rows to points."""
        parts = []
        for group in self._groups.groups:
            own = {name: group.pick(p) for name, p in parameters.items()}
            found = group.member.penalty(
                lambda x, own=own, group=group: score(own, x, group.pick),  # type: ignore[misc]
                group.pick(real),
                group.pick(fake),
                group.pick(uniform),
                group.columns,
            )
            parts.append(real.new_zeros(len(group.rows)) if found is None else found)
        return self._groups.join(parts)

    def project(self, parameters: Parameters) -> None:
        """Change parameters in place."""
        if not self._projects:
            return
        for group in self._groups.groups:
            if group.whole:
                group.member.project(parameters, group.columns)
                continue
            own = {name: group.pick(p) for name, p in parameters.items()}
            group.member.project(own, group.columns)
            for name, values in own.items():
                parameters[name].index_copy_(0, group.rows, values)

    def certificate(self, parameters: Parameters, buffers: Buffers | None = None) -> Tensor:
        """(T,) upper bounds on the Lipschitz constants of networks with these final weights; NaN: not certified."""

        def of(group: Group[Constraint]) -> Tensor:
            own = {name: group.pick(p) for name, p in {**parameters, **(buffers or {})}.items()}
            bound = group.member.certificate(self._critic, own, group.columns)
            return (
                torch.full((len(group.rows),), torch.nan, device=group.rows.device)
                if bound is None
                else bound
            )

        return self._groups.each(of)

    def promised(self) -> Tensor:
        """(T,) the constants that the certificates are to keep to; NaN for a trial that is promised none."""

        def of(group: Group[Constraint]) -> Tensor:
            asked = group.member.promised(group.columns)
            return (
                torch.full(group.rows.shape, torch.nan, device=group.rows.device) if asked is None else asked
            )

        return self._groups.each(of)

    def states(self) -> list[Tensor]:
        """(U,) what the constraint of every trial remembers, on the CPU; empty if nothing."""
        found = {}
        for group, state in zip(self._groups.groups, self._states, strict=True):
            rows = None if state is None else state.detach().cpu()
            for at, index in enumerate(group.rows.tolist()):
                found[index] = torch.zeros(0) if rows is None else rows[at].clone()
        return [found[index] for index in range(len(found))]

    def restore(self, rows: Sequence[Tensor | None]) -> None:
        """Take up what ``states`` gave; None: as at the start."""
        for group, state in zip(self._groups.groups, self._states, strict=True):
            if state is None:
                continue
            for at, index in enumerate(group.rows.tolist()):
                values = rows[index]
                if values is not None:
                    state[at].copy_(values)


def _defines(member: Constraint, hook: str) -> bool:
    return getattr(type(member), hook) is not getattr(Constraint, hook)
