"""The training loop: T trials of one shape, advanced together as rows of a few matrices.

A big model is a population of one. Rows never mix and randomness is a function of (seed, step), so a trial's
trajectory does not depend on its neighbours. What data, models, objectives and constraints are is theirs to say: the
loop asks what they can do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import log

import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.randomness import Stream
from trainables.sources.source import Batch, Source
from trainables.training.adam import RowAdam
from trainables.training.compiled import check_compiler
from trainables.training.feed import Feed
from trainables.training.precision import network_type, products
from trainables.training.rows import TrialState
from trainables.training.trials import Trials

__all__ = ["Population"]


class Population(Trials):
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
        """As ``Trials``; training goes on where ``states`` or ``starts`` are."""
        super().__init__(configs, states, device, source, starts)
        training = self.configs[0].training
        if training.compile:
            check_compiler(self.device)
        for network in (self.generator, self.critic):
            network.tune(network_type(training.precision), training.compile)
        self._hyperparameters()
        self._step = torch.tensor(self.iteration, device=self.device)
        self._graphs: dict[bool, torch.cuda.CUDAGraph] = {}
        self._feed = self._fed() if self.source.streamed else None

    def _fed(self) -> Feed:
        """What reads ahead for training, from here on."""
        seeds = [c.seed for c in self.configs]
        training = self.configs[0].training
        return Feed(self.source, seeds, training, self.has_density, self.iteration, self.device)

    def close(self) -> None:
        """End processes that read ahead for training, and give back what graphs hold; it can go on all the same."""
        self._graphs.clear()
        if self._feed is not None:
            self._feed.close()

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
        spans = [c.objective.lam_span() for c in self.configs]
        self._log_lams = torch.tensor([[log(low), log(high)] for low, high in spans], device=self.device)

    @property
    def losses(self) -> Tensor:
        """(T, 2): last critic and generator loss; NaN before the first iteration."""
        return (
            self.matrices["losses"] if self.iteration else torch.full_like(self.matrices["losses"], torch.nan)
        )

    def keep(self, rows: Iterable[int]) -> Population:
        """A population of some of the trials, where they stand. This one is still to be closed."""
        chosen = list(rows)
        configs = [self.configs[i] for i in chosen]
        return Population(configs, self.states(chosen), self.device, self.source)

    def _share(self) -> Tensor:
        """(T,) part of the learning rates in force: 1, then falling to 0 over the decay at the end."""
        left = self.configs[0].training.iterations - self._step
        return (left / self._decay).clamp(0.0, 1.0)

    def _critic_step(self, inner: int, whole: bool) -> None:
        """The ``inner``-th of an iteration; where it is not ``whole``, no generator step will look for norms."""
        batch = self.configs[0].training.batch_size
        draw = self._step * self.configs[0].training.critic_steps + inner
        given = self._conditions(2 * draw, batch)
        with torch.no_grad():
            latent = self.noise.normal(Stream.CRITIC_LATENT, draw, batch, *self.latent_shape)
            live = self.generator.unflatten(self.matrices["generator"])
            live = self.generator_constraint.weights(live, update=not whole)
            fake = self.networks.generate(live, latent, given, 2 * draw, training=True)
            real, classes = self._real(Stream.REAL, draw, inner)
        of_real = [*self.networks.given(classes), *self._log_lam(2 * draw, batch, Stream.REAL_LAM)]
        both = [torch.cat(pair, dim=1) for pair in zip(of_real, given, strict=True)]
        flat = self.matrices["critic"].detach().requires_grad_()
        parameters = self.constraint.weights(self.critic.unflatten(flat), update=True)
        logit = self.networks.score(parameters, torch.cat((real, fake), dim=1), both, 2 * draw, training=True)
        loss = self.objective.critic_loss(logit[:, :batch], logit[:, batch:])
        self.objective.compare(logit[:, :batch].detach(), logit[:, batch:].detach())
        if self.constraint.penalises:
            loss = loss + self._penalty(parameters, real, fake, of_real, draw)
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
        """(T,) of the constraints; points are scored for what is ``given`` of the real ones, also those between."""
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

    def _real(self, stream: Stream, step: Tensor, inner: int = 0) -> Batch:
        """Real samples to train with; ``inner``: which of the stream's batches in this iteration."""
        if self._feed is not None:
            return self._spread(self._feed.batch(stream, inner), stream, step)
        drawn = self.source.draw(self.noise, stream, step, self.configs[0].training.batch_size)
        return self._spread(drawn, stream, step)

    def _progress(self) -> Tensor:
        """(T,) the share of the iterations after the warm-up that are done."""
        left = (self._iterations - self._warmup).clamp(min=1.0)
        return ((self._step - self._warmup) / left).clamp(0.0, 1.0)

    def _with_likelihood(self, parameters: dict[str, Tensor], loss: Tensor) -> Tensor:
        """The generator's loss with its share of -log q; that alone during warm-up."""
        real, classes = self._real(Stream.LIKELIHOOD, self._step)
        given = [
            *self.networks.given(classes),
            *self._log_lam(2 * self._step + 1, real.shape[1], Stream.REAL_LAM),
        ]
        nll = -self.networks.density(parameters, real, given, self._step, training=True).mean(-1)
        return torch.where(self._step < self._warmup, nll, loss + self._nll_weight * nll)

    def _count_sides(self, logit: Tensor, log_lam: Tensor | None) -> None:
        """Add up where log r̂ lies, for trials that have a λ, while it is what trains them."""
        sides = self.objective.sides(self.objective.log_ratio(logit), log_lam)
        counted = self._has_lam & (self._step >= self._lam_begins)
        self.matrices["sides"].add_(torch.where(counted.unsqueeze(1), sides, 0.0))

    def _iterate(self, whole: bool) -> None:
        """Critic steps, then a generator step in a ``whole`` iteration."""
        for inner in range(self.configs[0].training.critic_steps):
            self._critic_step(inner, whole)
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
        side = _recording_stream(self.device)
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
            with torch.cuda.graph(graph, pool=pool, stream=side):
                self._iterate(whole)
            self._graphs[whole] = graph
        return warm

    def lam_sides(self) -> Tensor:
        """(T, 2) shares of generated points with λ r̂ below and above 1, averaged over training with λ.

        NaN for a trial that has not been trained with λ yet: at the start, while it warms up or covers, or without one.
        """
        trained = (self.iteration - self._lam_begins.ceil()).clamp(min=0.0)
        trained = torch.where(self._has_lam & (trained > 0), trained, torch.nan)
        return self.matrices["sides"] / trained.unsqueeze(1)


@lru_cache
def _recording_stream(device: torch.device) -> torch.cuda.Stream:
    """The stream on which iterations are tried and recorded: one for all populations of a process.

    cuBLAS keeps some memory for ever for every stream, and for each of the threads that compute forwards and backwards.
    It is fetched here, while nothing is at hand: cut out of what a population has left, it would hold on to gigabytes.
    """
    torch.cuda.empty_cache()
    stream = torch.cuda.Stream(device)
    with torch.cuda.stream(stream), torch.enable_grad():
        x = torch.ones(16, 16, device=device, requires_grad=True)
        torch.autograd.grad((torch.addmm(x[0], x, x).unsqueeze(0) @ x.unsqueeze(0)).sum(), x)
    torch.cuda.current_stream(device).wait_stream(stream)
    return stream
