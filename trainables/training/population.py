"""The training loop: T trials of one shape, advanced together as rows of a few matrices.

A big model is a population of one. Rows never mix and randomness is a function of (seed, step), so a trial's
trajectory does not depend on its neighbours. What data, models, objectives and constraints are is theirs to say: the
loop asks what they can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log

import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.datasets import Dataset
from trainables.randomness import Noise, Stream
from trainables.sources.source import Batch, Source
from trainables.training.adam import RowAdam
from trainables.training.feed import Feed
from trainables.training.networks import Networks
from trainables.training.pack_constraint import PackConstraint
from trainables.training.pack_objective import PackObjective
from trainables.training.precision import network_type, products
from trainables.training.rows import Rows, TrialState
from trainables.training.stack import Buffers

__all__ = ["Population"]

_BLOCK = 2048
"""Points per trial that pass through a network at a time outside training."""

_EVALUATION = 1 << 50
"""Steps from here on are those of evaluations, which no training reaches."""


class Population:
    """Trials of equal ``TrialConfig.shape()``, trained side by side.

    One iteration costs O(T · batch · P) and memory O(T · (P + batch · widths)).
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
        for network in (self.generator, self.critic):
            network.tune(network_type(first.training.precision), first.training.compile)
        self.objective = PackObjective([c.objective for c in self.configs], self.device)
        self.constraint = PackConstraint([c.constraint for c in self.configs], self.critic, self.device)
        held = [c.generator_constraint for c in self.configs]
        self.generator_constraint = PackConstraint(held, self.generator, self.device)
        self._hyperparameters()
        self._start(states, starts)
        self._graphs: dict[bool, torch.cuda.CUDAGraph] = {}
        self._feed = self._fed() if self.source.streamed else None

    def _fed(self) -> Feed:
        """What reads ahead for training, from here on."""
        seeds = [c.seed for c in self.configs]
        training = self.configs[0].training
        return Feed(self.source, seeds, training, self.has_density, self.iteration, self.device)

    def close(self) -> None:
        """End processes that read ahead for training; it can go on all the same."""
        if self._feed is not None:
            self._feed.close()

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

    def _column(self, read: Callable[[TrialConfig], float]) -> Tensor:
        """(T,) a hyperparameter of every trial."""
        return torch.tensor([float(read(c)) for c in self.configs], device=self.device)

    def _hyperparameters(self) -> None:
        beta1 = self._column(lambda c: c.training.beta1)
        beta2 = self._column(lambda c: c.training.beta2)
        compiles = self.configs[0].training.compile
        self._generator_adam = RowAdam(
            self._column(lambda c: c.training.generator_lr), beta1, beta2, compiles
        )
        self._critic_adam = RowAdam(self._column(lambda c: c.training.critic_lr), beta1, beta2, compiles)
        self._decay = self._column(lambda c: max(1.0, c.training.decay * c.training.iterations))
        self._keep = self._column(lambda c: c.training.ema).unsqueeze(1)
        # An objective counts the iterations in which the generator is trained.
        self._critic_first = first = self.configs[0].training.critic_first
        own = self.configs[0].training.generator_iterations
        self._warmup = self._column(lambda c: first + c.objective.warmup_iterations(c.model, own))
        self._lam_begins = self._column(lambda c: first + c.objective.lam_begins(c.model, own))
        self._iterations = self._column(lambda c: c.training.iterations)
        self._nll_weight = self._column(lambda c: c.objective.nll_weight(c.model))
        self._adversarial = bool(torch.isfinite(self._warmup).any())
        self._has_lam = ~self.objective.bend.isnan()
        self._read_at = -self.objective.bend.nan_to_num()
        spans = [c.objective.lam_span() for c in self.configs]
        self._log_lams = torch.tensor([[log(low), log(high)] for low, high in spans], device=self.device)

    def _start(self, states: Sequence[TrialState] | None, starts: Sequence[TrialState | None] | None) -> None:
        remembered = {"constraint": self.constraint, "generator_constraint": self.generator_constraint}
        self.rows = Rows(len(self.configs), self.networks, self.objective, remembered, self.device)
        self.iteration = 0
        if states is None:
            self.rows.begin([c.seed for c in self.configs])
            self.rows.start([c.start for c in self.configs], starts)
        else:
            self.iteration = self.rows.restore(states)
        self.matrices = self.rows.matrices
        self._step = torch.tensor(self.iteration, device=self.device)

    @property
    def buffers(self) -> dict[str, Buffers]:
        """Buffers of generators and critics by name, (T, *shape) each."""
        return self.networks.buffers

    @property
    def losses(self) -> Tensor:
        """(T, 2): last critic and generator loss; NaN before the first iteration."""
        return (
            self.matrices["losses"] if self.iteration else torch.full_like(self.matrices["losses"], torch.nan)
        )

    def state(self, index: int) -> TrialState:
        """A copy of trial ``index``'s row, on the CPU."""
        return self.states([index])[0]

    def states(self, rows: Sequence[int] | None = None) -> list[TrialState]:
        """Copies of the rows of all trials, or of some, on the CPU; each matrix travels once."""
        return self.rows.states(range(len(self.configs)) if rows is None else rows, self.iteration)

    def keep(self, rows: Iterable[int]) -> Population:
        """A population of some of the trials, where they stand. This one is still to be closed."""
        chosen = list(rows)
        configs = [self.configs[i] for i in chosen]
        return Population(configs, self.states(chosen), self.device, self.source)

    def _share(self) -> Tensor:
        """(T,) part of the learning rates in force: 1, then falling to 0 over the decay at the end."""
        left = self.configs[0].training.iterations - self._step
        return (left / self._decay).clamp(0.0, 1.0)

    def _critic_step(self, inner: int) -> None:
        """The ``inner``-th of an iteration."""
        batch = self.configs[0].training.batch_size
        draw = self._step * self.configs[0].training.critic_steps + inner
        given = self._conditions(2 * draw, batch)
        with torch.no_grad():
            latent = self.noise.normal(Stream.CRITIC_LATENT, draw, batch, *self.latent_shape)
            live = self.generator.unflatten(self.matrices["generator"])
            live = self.generator_constraint.weights(live, update=False)
            fake = self.networks.generate(live, latent, given, 2 * draw, training=True)
            real, classes = self._real(Stream.REAL, draw, inner)
        of_real = [*self.networks.given(classes), *self._log_lam(2 * draw, batch, Stream.REAL_LAM)]
        both = [torch.cat(pair, dim=1) for pair in zip(of_real, given, strict=True)]
        flat = self.matrices["critic"].detach().requires_grad_()
        parameters = self.constraint.weights(self.critic.unflatten(flat), update=True)
        logit = self.networks.score(parameters, torch.cat((real, fake), dim=1), both, 2 * draw, training=True)
        loss = self.objective.critic_loss(logit[:, :batch], logit[:, batch:])
        if self.constraint.penalises:
            loss = loss + self._penalty(parameters, real, fake, given, draw)
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        self._critic_adam.step(
            self.matrices["critic"],
            gradient,
            self.matrices["critic_first"],
            self.matrices["critic_second"],
            draw + 1,
            self._share(),
        )
        self.constraint.project(self.critic.unflatten(self.matrices["critic"]))
        self.matrices["losses"][:, 0].copy_(loss.detach())

    def _penalty(
        self, parameters: dict[str, Tensor], real: Tensor, fake: Tensor, given: list[Tensor], draw: Tensor
    ) -> Tensor:
        uniform = self.noise.uniform(Stream.PENALTY, draw, real.shape[1])

        def score(own: dict[str, Tensor], x: Tensor, pick: Callable[[Tensor], Tensor]) -> Tensor:
            return self.networks.score(own, x, [pick(y) for y in given], 2 * draw, training=False, pick=pick)

        return self.constraint.penalty(score, parameters, real, fake, uniform)

    def _generator_step(self) -> None:
        batch = self.configs[0].training.batch_size
        flat = self.matrices["generator"].detach().requires_grad_()
        parameters = self.generator_constraint.weights(self.generator.unflatten(flat), update=True)
        loss = torch.zeros(len(self.configs), device=self.device)
        if self._adversarial:
            given = self._conditions(2 * self._step + 1, batch)
            latent = self.noise.normal(Stream.GENERATOR_LATENT, self._step, batch, *self.latent_shape)
            critic = self.constraint.weights(self.critic.unflatten(self.matrices["critic"]), update=False)
            fake = self.networks.generate(parameters, latent, given, 2 * self._step + 1, training=True)
            logit = self.networks.score(critic, fake, given, 2 * self._step + 1, training=True)
            log_lam = given[-1] if self.networks.takes_lam else None
            self.objective.remember(logit.detach(), self._progress(), self._step)
            loss = self.objective.generator_loss(logit, self._progress(), log_lam)
            self._count_sides(logit.detach(), log_lam)
        if self.has_density:
            loss = self._with_likelihood(parameters, loss)
        penalty = self.configs[0].model.generator_penalty(parameters)
        if penalty is not None:
            loss = loss + penalty
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        self._generator_adam.step(
            self.matrices["generator"],
            gradient,
            self.matrices["generator_first"],
            self.matrices["generator_second"],
            self._step + 1 - self._critic_first,
            self._share(),
        )
        self.generator_constraint.project(self.generator.unflatten(self.matrices["generator"]))
        average, live = self.matrices["average"], self.matrices["generator"]
        average.mul_(self._keep).add_(live * (1 - self._keep))
        self.matrices["losses"][:, 1].copy_(loss.detach())

    def _conditions(self, step: Tensor | int, count: int) -> list[Tensor]:
        """What generated samples are made for, (T, count) each: classes, log λ; as far as the networks take them."""
        return [*self.networks.labels(step, count), *self._log_lam(step, count, Stream.LAM)]

    def _log_lam(self, step: Tensor | int, count: int, stream: Stream) -> list[Tensor]:
        """log λ of every sample (T, count) for networks that take it: drawn from the objective's range."""
        if not self.networks.takes_lam:
            return []
        uniform = self.noise.uniform(stream, step, count)
        low, high = self._log_lams.split(1, dim=1)
        return [low + uniform * (high - low)]

    def own_log_lam(self, count: int) -> list[Tensor]:
        """The λ that a trial is read at, (T, count), for networks that take it."""
        return [self._read_at.unsqueeze(1).expand(-1, count)] if self.networks.takes_lam else []

    def _real(self, stream: Stream, step: Tensor, inner: int = 0) -> Batch:
        """Real samples to train with; ``inner``: which of the stream's batches in this iteration."""
        if self._feed is not None:
            return self._spread(self._feed.batch(stream, inner), stream, step)
        drawn = self.source.draw(self.noise, stream, step, self.configs[0].training.batch_size)
        return self._spread(drawn, stream, step)

    def _spread(self, batch: Batch, stream: Stream, step: Tensor | int) -> Batch:
        """Grey levels are spread over the width of one for models that have a density."""
        x, y = batch
        width = self.source.quantum if self.has_density else None
        if width is None:
            return Batch(x, y)
        uniform = self.noise.uniform(Stream.DEQUANTISE, step * len(Stream) + int(stream), *x.shape[1:])
        return Batch(x + width * (uniform - 0.5), y)

    def _progress(self) -> Tensor:
        """(T,) the share of the iterations after the warm-up that are done."""
        left = (self._iterations - self._warmup).clamp(min=1.0)
        return ((self._step - self._warmup) / left).clamp(0.0, 1.0)

    def _with_likelihood(self, parameters: dict[str, Tensor], loss: Tensor) -> Tensor:
        """The generator's loss with its share of -log q; that alone during warm-up."""
        real, classes = self._real(Stream.LIKELIHOOD, self._step)
        labels = self.networks.given(classes)
        nll = -self.networks.density(parameters, real, labels, self._step, training=True).mean(-1)
        return torch.where(self._step < self._warmup, nll, loss + self._nll_weight * nll)

    def _count_sides(self, logit: Tensor, log_lam: Tensor | None) -> None:
        """Add up where log r̂ lies, for trials that have a λ, while it is what trains them."""
        sides = self.objective.sides(self.objective.log_ratio(logit), log_lam)
        counted = self._has_lam & (self._step >= self._lam_begins)
        self.matrices["sides"].add_(torch.where(counted.unsqueeze(1), sides, 0.0))

    def _iterate(self, whole: bool) -> None:
        """Critic steps, then a generator step in a ``whole`` iteration."""
        for inner in range(self.configs[0].training.critic_steps):
            self._critic_step(inner)
        if whole:
            self._generator_step()
        self._step += 1

    def advance(self, iterations: int) -> None:
        """Train for so many iterations: plainly on a CPU, as a replayed CUDA graph on a GPU."""
        alone = min(iterations, max(0, self._critic_first - self.iteration))
        with products(self.configs[0].training.precision, self.device):
            self._advance(alone, whole=False)
            self._advance(iterations - alone, whole=True)
        self.iteration += iterations

    def _advance(self, iterations: int, whole: bool) -> None:
        """So many iterations of one kind: whole ones, or those of the critic alone."""
        remaining = iterations
        if self.device.type == "cuda":
            remaining -= self._capture(iterations, whole)
        for _ in range(remaining):
            self._load()
            if self.device.type == "cuda":
                self._graphs[whole].replay()
            else:
                self._iterate(whole)

    def _load(self) -> None:
        """Real batches of the next iteration, where files are read for them; a graph cannot do that."""
        if self._feed is not None:
            self._feed.load()

    def _capture(self, available: int, whole: bool) -> int:
        """Record one iteration as a graph; the eager iterations run to warm up are counted and returned."""
        if whole in self._graphs or not available:
            return 0
        warm = min(3, available)
        side = torch.cuda.Stream(self.device)
        side.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(side):
            for _ in range(warm):
                self._load()
                self._iterate(whole)
        torch.cuda.current_stream(self.device).wait_stream(side)
        if available > warm:
            # Never replayed at once, both graphs can use the same memory.
            pool = next((graph.pool() for graph in self._graphs.values()), None)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                self._iterate(whole)
            self._graphs[whole] = graph
        return warm

    @torch.no_grad()
    def sample(self, count: int, step: int = 0) -> Batch:
        """Samples x (T, count, *shape) of the averaged generators, with their classes for models that take them.

        Drawn in blocks, so that a longer draw of the same ``step`` begins with the shorter one.
        """
        parameters = self.final_generator()
        points, classes = [], []
        for block in range(-(-count // _BLOCK)):
            at = (step << 20) + block
            latent = self.noise.normal(Stream.POOL, at, _BLOCK, *self.latent_shape)
            labels = self.networks.labels(_EVALUATION + at, _BLOCK)
            given = [*labels, *self.own_log_lam(_BLOCK)]
            points.append(self.networks.generate(parameters, latent, given, _EVALUATION + at, training=False))
            classes += labels
        chosen = torch.cat(classes, dim=1)[:, :count] if classes else None
        return Batch(torch.cat(points, dim=1)[:, :count], chosen)

    def accept_uniforms(self, count: int, step: int = 0) -> Tensor:
        """(T, count) uniforms in (0, 1] that decide which samples are kept; a longer draw begins with the shorter."""
        blocks = [
            self.noise.uniform(Stream.ACCEPT, (step << 20) + block, _BLOCK)
            for block in range(-(-count // _BLOCK))
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
                    parameters, part.x, self.networks.given(part.y), _EVALUATION, training=False
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
            logits.append(self.networks.score(parameters, x, given, _EVALUATION, training=False))
        return torch.cat(logits, dim=1)

    def lam_sides(self) -> Tensor:
        """(T, 2) shares of generated points with λ r̂ below and above 1, averaged over training with λ.

        NaN for a trial that has not been trained with λ yet: at the start, while it warms up or covers, or without one.
        """
        trained = (self.iteration - self._lam_begins.ceil()).clamp(min=0.0)
        trained = torch.where(self._has_lam & (trained > 0), trained, torch.nan)
        return self.matrices["sides"] / trained.unsqueeze(1)

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
        return found if built_in is None else torch.where(found.isnan(), built_in[0], found)


def _blocks(batch: Batch) -> Iterator[Batch]:
    """Parts of a batch that pass through a network at a time."""
    for start in range(0, batch.x.shape[1], _BLOCK):
        part = slice(start, start + _BLOCK)
        yield Batch(batch.x[:, part], None if batch.y is None else batch.y[:, part])
