"""T trials of one shape, side by side as rows of a few matrices: where they stand, and what can be asked of them.

Asked are the averaged generators and the critics as they are evaluated, exactly constrained. Nothing here trains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.datasets import Dataset
from trainables.randomness import Noise, Stream
from trainables.sources.source import Batch, Source
from trainables.training.networks import Networks
from trainables.training.pack_constraint import PackConstraint
from trainables.training.pack_objective import PackObjective
from trainables.training.rows import Rows, TrialState
from trainables.training.stack import Buffers

__all__ = ["BLOCK", "EVALUATION", "Trials", "block_of"]

BLOCK = 2048
"""Points per trial that pass through a network at a time."""

EVALUATION = 1 << 50
"""Steps from here on are those of evaluations, which no training reaches."""


def block_of(step: int, repeat: int, block: int) -> int:
    """Where the random numbers of a block of draws begin, of the evaluation after so many iterations."""
    return (step << 20) + (repeat << 16) + block


class Trials:
    """Trials of equal ``TrialConfig.shape()``.

    Attributes:
        configs: one per trial.
        source: the data, on the device.
        iteration: how far they are trained.
        matrices: what training changes, by name, a row per trial.
        has_density: whether the generators know log q.
    """

    def __init__(
        self,
        configs: Sequence[TrialConfig],
        states: Sequence[TrialState] | None = None,
        device: torch.device | str = "cpu",
        source: Source | None = None,
        starts: Sequence[TrialState | None] | None = None,
    ) -> None:
        """``states``, one per config and all at the same iteration, continue earlier training.

        ``source``: the dataset's, on the device, if it is at hand. ``starts``: states of the bases from which fresh
        trials begin, None for one without a base.
        """
        if not configs:
            raise ValueError("a population needs at least one trial, got none")
        if len({c.shape() for c in configs}) > 1:
            raise ValueError(
                "trials of a population must have equal shapes; group them by TrialConfig.shape()"
            )
        self.configs = list(configs)
        self.device = torch.device(device)
        first = self.configs[0]
        if len(self.configs) > 1 and not first.model.stacks:
            raise ValueError(f"model '{first.model.name}' does not stack; train its trials one by one")
        self.source = first.dataset.source().to(self.device) if source is None else source
        self._check_source(first.dataset)
        self.has_density = first.model.has_density
        self.noise = Noise(torch.tensor([c.seed for c in self.configs], device=self.device))
        self.networks = Networks(
            first.model, self.source, self.noise, (first.generator_constraint, first.constraint)
        )
        self.generator, self.critic = self.networks.generator, self.networks.critic
        self.latent_shape = self.networks.latent_shape
        self.objective = PackObjective([c.objective for c in self.configs], self.device)
        self.constraint = PackConstraint([c.constraint for c in self.configs], self.critic, self.device)
        held = [c.generator_constraint for c in self.configs]
        self.generator_constraint = PackConstraint(held, self.generator, self.device)
        self._read_at = -self.objective.bend.nan_to_num()
        self._start(states, starts)

    def _check_source(self, dataset: Dataset) -> None:
        """What was planned is what comes."""
        if dataset.has_law != (self.source.law is not None):
            known = "has an exact law" if self.source.law is not None else "has none"
            raise ValueError(
                f"dataset '{dataset.name}' says has_law = {dataset.has_law}, but its source {known}"
            )
        for name in ("shape", "classes"):
            said, found = getattr(dataset, name), getattr(self.source, name)
            if said != found:
                raise ValueError(
                    f"dataset '{dataset.name}' says its {name} is {said}, but its source has {found}"
                )

    def _start(self, states: Sequence[TrialState] | None, starts: Sequence[TrialState | None] | None) -> None:
        remembered = {"constraint": self.constraint, "generator_constraint": self.generator_constraint}
        self.rows = Rows(self.configs, self.networks, self.objective, remembered, self.device)
        self.iteration = 0
        if states is None:
            self.rows.begin()
            self.rows.start(starts)
        else:
            self.iteration = self.rows.restore(states)
        self.matrices = self.rows.matrices

    @property
    def buffers(self) -> dict[str, Buffers]:
        """Buffers of generators and critics by name, (T, *shape) each."""
        return self.networks.buffers

    def state(self, index: int) -> TrialState:
        """A copy of trial ``index``'s row, on the CPU."""
        return self.states([index])[0]

    def states(self, rows: Sequence[int] | None = None) -> list[TrialState]:
        """Copies of the rows of all trials, or of some, on the CPU; each matrix travels once.

        At the end of a training they have what is evaluated too, exactly constrained: who begins there under another
        constraint begins at the model that was measured.
        """
        chosen = range(len(self.configs)) if rows is None else rows
        found = self.rows.states(chosen, self.iteration)
        if self.iteration < self.configs[0].training.iterations:
            return found
        average, critic = (
            stack.flatten(parameters).cpu()
            for stack, parameters in (
                (self.generator, self.final_generator()),
                (self.critic, self.final_critic()),
            )
        )
        return [
            self.rows.with_measured(state, average[index].clone(), critic[index].clone())
            for index, state in zip(chosen, found, strict=True)
        ]

    def own_log_lam(self, count: int) -> list[Tensor]:
        """The λ that a trial is read at, (T, count), for networks that take it."""
        return [self._read_at.unsqueeze(1).expand(-1, count)] if self.networks.takes_lam else []

    def _spread(self, batch: Batch, stream: Stream, step: Tensor | int) -> Batch:
        """Grey levels are spread over the width of one for models that have a density."""
        x, y = batch
        width = self.source.quantum if self.has_density else None
        if width is None:
            return Batch(x, y)
        uniform = self.noise.uniform(Stream.DEQUANTISE, step * len(Stream) + int(stream), *x.shape[1:])
        return Batch(x + width * (uniform - 0.5), y)

    @torch.no_grad()
    def sample(self, count: int, step: int = 0, repeat: int = 0) -> Batch:
        """Samples x (T, count, *shape) of the averaged generators, with their classes for models that take them.

        Drawn in blocks, so that a longer draw of the same ``step`` begins with the shorter one. Draws of another
        ``repeat``, up to 15, are others, also of the same step.
        """
        parameters = self.final_generator()
        points, classes = [], []
        for block in range(-(-count // BLOCK)):
            at = block_of(step, repeat, block)
            latent = self.noise.normal(Stream.POOL, at, BLOCK, *self.latent_shape)
            labels = self.networks.labels(EVALUATION + at, BLOCK)
            given = [*labels, *self.own_log_lam(BLOCK)]
            points.append(self.networks.generate(parameters, latent, given, EVALUATION + at, training=False))
            classes += labels
        chosen = torch.cat(classes, dim=1)[:, :count] if classes else None
        return Batch(torch.cat(points, dim=1)[:, :count], chosen)

    def accept_uniforms(self, count: int, step: int = 0, repeat: int = 0) -> Tensor:
        """(T, count) uniforms in (0, 1] that decide which samples are kept; a longer draw begins with the shorter."""
        blocks = [
            self.noise.uniform(Stream.ACCEPT, block_of(step, repeat, block), BLOCK)
            for block in range(-(-count // BLOCK))
        ]
        return torch.cat(blocks, dim=1)[:, :count]

    @torch.no_grad()
    def real(self, count: int, step: int = 0) -> Batch:
        """Real samples x (T, count, *shape) that training has not seen."""
        return self._spread(self.source.draw(self.noise, Stream.UNSEEN, step, count), Stream.UNSEEN, step)

    @torch.no_grad()
    def log_prob(self, batch: Batch) -> Tensor:
        """log q of the averaged generators at x (T, n, *shape) → (T, n)."""
        parameters = self.final_generator()
        return torch.cat(
            [
                self.networks.density(
                    parameters,
                    part.x,
                    [*self.networks.given(part.y), *self.own_log_lam(part.x.shape[1])],
                    EVALUATION,
                    training=False,
                )
                for part in _blocks(batch)
            ],
            dim=1,
        )

    def log_ratio(self, batch: Batch) -> Tensor:
        """log r̂ of the critics, exactly constrained, at x (T, n, *shape) → (T, n)."""
        return self.objective.log_ratio(self.logits(batch))

    @torch.no_grad()
    def logits(self, batch: Batch) -> Tensor:
        """Raw logits of the critics, exactly constrained, at x (T, n, *shape) → (T, n)."""
        parameters = self.final_critic()
        logits = []
        for x, y in _blocks(batch):
            given = [*self.networks.given(y), *self.own_log_lam(x.shape[1])]
            logits.append(self.networks.score(parameters, x, given, EVALUATION, training=False))
        return torch.cat(logits, dim=1)

    @torch.no_grad()
    def final_critic(self) -> dict[str, Tensor]:
        """Parameters of the critics as they are evaluated, exactly constrained."""
        return self.constraint.final_weights(self.critic.unflatten(self.matrices["critic"]))

    @torch.no_grad()
    def final_generator(self) -> dict[str, Tensor]:
        """Parameters of the averaged generators as they are evaluated, exactly constrained."""
        return self.generator_constraint.final_weights(self.generator.unflatten(self.matrices["average"]))

    @torch.no_grad()
    def lipschitz_bound(self) -> Tensor:
        """(T,) certified upper bounds on the critics' Lipschitz constants, as evaluated; NaN: not certified."""
        return self.constraint.certificate(self.final_critic(), self.buffers["critic"])

    @torch.no_grad()
    def generator_lipschitz_bound(self) -> Tensor:
        """(T,) the same of the averaged generators, or the bound that all generators of their model have."""
        found = self.generator_constraint.certificate(self.final_generator(), self.buffers["generator"])
        built_in = self.configs[0].model.lipschitz_bounds(self.source.shape)
        if built_in is None or built_in[0] > torch.finfo(found.dtype).max:  # no number is no bound
            return found
        return torch.where(found.isnan(), built_in[0], found)


def _blocks(batch: Batch) -> Iterator[Batch]:
    """Parts of a batch that pass through a network at a time."""
    for start in range(0, batch.x.shape[1], BLOCK):
        part = slice(start, start + BLOCK)
        yield Batch(batch.x[:, part], None if batch.y is None else batch.y[:, part])
