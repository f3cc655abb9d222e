"""The training loop: T trials of one shape, advanced together as rows of a few matrices.

A big model is a population of one. Rows never mix and randomness is a function of (seed, step), so a trial's
trajectory does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import torch
from torch import Tensor, nn

from trainables.config import ModelConfig, TrialConfig
from trainables.lipschitz.spectral import SpectralNormalisation
from trainables.models.layers.couplings import RealNVP
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.objectives.pack import PackObjective
from trainables.sources.mixtures import GaussianMixture, mixture
from trainables.training.adam import RowAdam
from trainables.training.randomness import Noise, Stream
from trainables.training.stack import Stack

__all__ = ["STATE_NAMES", "Population", "TrialState"]

TrialState = dict[str, Tensor]
"""One trial's row of every matrix; enough to go on exactly where it stopped."""

_BLOCK = 2048
"""Points per trial that pass through a network at a time outside training."""

_MATRICES = (
    "generator",
    "critic",
    "average",
    "generator_first",
    "generator_second",
    "critic_first",
    "critic_second",
    "spectral",
    "sides",
    "losses",
)
STATE_NAMES = frozenset((*_MATRICES, "iteration"))
"""What a ``TrialState`` holds."""


def _generator(model: ModelConfig, dim: int) -> Callable[[], nn.Module]:
    if model.name == "realnvp":
        assert model.couplings is not None
        assert model.width is not None
        couplings, width = model.couplings, model.width
        return lambda: RealNVP(dim, couplings, width)
    assert model.generator is not None
    assert model.latent is not None
    latent, hidden = model.latent, model.generator
    return lambda: MLPGenerator(latent, hidden, dim)


class Population:
    """Trials of equal ``TrialConfig.shape()``, trained side by side.

    One iteration costs O(T · batch · P) and memory O(T · (P + batch · widths)).
    """

    def __init__(
        self,
        configs: Sequence[TrialConfig],
        states: Sequence[TrialState] | None = None,
        device: torch.device | str = "cpu",
    ) -> None:
        """``states``, one per config and all at the same iteration, continue earlier training."""
        if not configs:
            raise ValueError("a population needs at least one trial, got none")
        if len({c.shape() for c in configs}) > 1:
            raise ValueError(
                "trials of a population must have equal shapes; group them by TrialConfig.shape()"
            )
        self.configs = [c.resolved() for c in configs]
        self.device = torch.device(device)
        first = self.configs[0]
        assert first.model.critic is not None
        self.law: GaussianMixture = mixture(first.dataset.name).to(self.device)
        self.flow = first.model.name == "realnvp"
        dim, hidden = self.law.dim, first.model.critic
        self.generator = Stack(_generator(first.model, dim))
        self.critic = Stack(lambda: MLPCritic(dim, hidden))
        self.latent: int = int(self.generator.module.latent)  # type: ignore[arg-type]
        self.objective = PackObjective([c.objective for c in self.configs], self.device)
        self.constraint = SpectralNormalisation(
            self.critic, self._column(lambda c: c.constraint.lipschitz or inf)
        )
        self.noise = Noise(torch.tensor([c.seed for c in self.configs], device=self.device))
        self._hyperparameters()
        self._start(states)
        self._graph: torch.cuda.CUDAGraph | None = None

    def _column(self, read: Callable[[TrialConfig], float]) -> Tensor:
        """(T,) a hyperparameter of every trial."""
        return torch.tensor([float(read(c)) for c in self.configs], device=self.device)

    def _hyperparameters(self) -> None:
        beta1 = self._column(lambda c: c.training.beta1)
        beta2 = self._column(lambda c: c.training.beta2)
        self._generator_adam = RowAdam(self._column(lambda c: c.training.generator_lr), beta1, beta2)
        self._critic_adam = RowAdam(self._column(lambda c: c.training.critic_lr), beta1, beta2)
        self._decay = self._column(lambda c: max(1.0, c.training.decay * c.training.iterations))
        self._keep = self._column(lambda c: c.training.ema).unsqueeze(1)
        self._warmup = self._column(lambda c: inf if c.objective.name == "mle" else c.training.warmup or 0)
        self._likelihood = self._column(lambda c: c.objective.likelihood or 0.0)
        self._adversarial = any(c.objective.name != "mle" for c in self.configs)
        self._has_lam = torch.tensor([c.objective.lam is not None for c in self.configs], device=self.device)

    def _start(self, states: Sequence[TrialState] | None) -> None:
        seeds = [c.seed for c in self.configs]
        count = len(self.configs)
        if states is None:
            generator = self.generator.initial(seeds, self.device)
            critic = self.critic.initial([seed + 1_000_003 for seed in seeds], self.device)
            self.matrices = {
                "generator": generator,
                "critic": critic,
                "average": generator.clone(),
                **{f"generator_{m}": torch.zeros_like(generator) for m in ("first", "second")},
                **{f"critic_{m}": torch.zeros_like(critic) for m in ("first", "second")},
                "spectral": self.constraint.initial(count, self.device),
                "sides": torch.zeros(count, 2, device=self.device),
                "losses": torch.zeros(count, 2, device=self.device),
            }
            self.iteration = 0
        else:
            iterations = {int(state["iteration"]) for state in states}
            if len(iterations) != 1 or len(states) != count:
                raise ValueError(
                    f"states must be one per trial at one iteration, got {len(states)} for {count} trials "
                    f"at iterations {sorted(iterations)}"
                )
            self.matrices = {
                name: torch.stack([state[name] for state in states]).to(self.device) for name in _MATRICES
            }
            self.iteration = iterations.pop()
        self._step = torch.tensor(self.iteration, device=self.device)

    @property
    def losses(self) -> Tensor:
        """(T, 2): last critic and generator loss."""
        return self.matrices["losses"]

    def state(self, index: int) -> TrialState:
        """A copy of trial ``index``'s row, on the CPU."""
        rows = {name: matrix[index].detach().cpu().clone() for name, matrix in self.matrices.items()}
        return {**rows, "iteration": torch.tensor(self.iteration)}

    def _share(self) -> Tensor:
        """(T,) part of the learning rates in force: 1, then falling to 0 over the decay at the end."""
        left = self.configs[0].training.iterations - self._step
        return (left / self._decay).clamp(0.0, 1.0)

    def _critic_step(self, draw: Tensor) -> None:
        batch = self.configs[0].training.batch_size
        with torch.no_grad():
            latent = self.noise.normal(Stream.CRITIC_LATENT, draw, batch, self.latent)
            fake = self.generator(self.generator.unflatten(self.matrices["generator"]), latent)
            real = self._real(Stream.REAL, draw, batch)
        flat = self.matrices["critic"].detach().requires_grad_()
        parameters = self.constraint.apply(
            self.critic.unflatten(flat), self.matrices["spectral"], update=True
        )
        logit = self.critic(parameters, torch.cat((real, fake), dim=1))
        loss = self.objective.critic_loss(logit[:, :batch], logit[:, batch:])
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        self._critic_adam.step(
            self.matrices["critic"],
            gradient,
            self.matrices["critic_first"],
            self.matrices["critic_second"],
            draw + 1,
            self._share(),
        )
        self.matrices["losses"][:, 0].copy_(loss.detach())

    def _generator_step(self) -> None:
        batch = self.configs[0].training.batch_size
        flat = self.matrices["generator"].detach().requires_grad_()
        parameters = self.generator.unflatten(flat)
        loss = torch.zeros(len(self.configs), device=self.device)
        if self._adversarial:
            latent = self.noise.normal(Stream.GENERATOR_LATENT, self._step, batch, self.latent)
            critic = self.constraint.apply(
                self.critic.unflatten(self.matrices["critic"]), self.matrices["spectral"], update=False
            )
            logit = self.critic(critic, self.generator(parameters, latent))
            loss = self.objective.generator_loss(logit)
            self._count_sides(logit.detach())
        if self.flow:
            real = self._real(Stream.LIKELIHOOD, self._step, batch)
            surprise = -self.generator(parameters, real, log_prob=True).mean(-1)
            warming = self._step < self._warmup
            loss = torch.where(warming, surprise, loss + self._likelihood * surprise)
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        self._generator_adam.step(
            self.matrices["generator"],
            gradient,
            self.matrices["generator_first"],
            self.matrices["generator_second"],
            self._step + 1,
            self._share(),
        )
        average, live = self.matrices["average"], self.matrices["generator"]
        average.mul_(self._keep).add_(live * (1 - self._keep))
        self.matrices["losses"][:, 1].copy_(loss.detach())

    def _count_sides(self, logit: Tensor) -> None:
        """Add up where λ r̂ lies, for trials that have a λ, while it is what trains them."""
        sides = self.objective.sides(self.objective.log_ratio(logit))
        counted = self._has_lam & (self._step >= self._warmup)
        self.matrices["sides"].add_(torch.where(counted.unsqueeze(1), sides, 0.0))

    def _real(self, stream: Stream, step: Tensor | int, count: int) -> Tensor:
        uniform = self.noise.uniform(stream, 2 * step, count)
        normal = self.noise.normal(stream, 2 * step + 1, count, self.law.dim)
        return self.law.transform(uniform, normal)

    def _iterate(self) -> None:
        critic_steps = self.configs[0].training.critic_steps
        for inner in range(critic_steps):
            self._critic_step(self._step * critic_steps + inner)
        self._generator_step()
        self._step += 1

    def advance(self, iterations: int) -> None:
        """Train for so many iterations: plainly on a CPU, as a replayed CUDA graph on a GPU."""
        remaining = iterations
        if self.device.type == "cuda":
            remaining -= self._capture(remaining)
            for _ in range(remaining):
                assert self._graph is not None
                self._graph.replay()
        else:
            for _ in range(remaining):
                self._iterate()
        self.iteration += iterations

    def _capture(self, available: int) -> int:
        """Record one iteration as a graph; the eager iterations run to warm up are counted and returned."""
        if self._graph is not None:
            return 0
        warm = min(3, available)
        side = torch.cuda.Stream(self.device)
        side.wait_stream(torch.cuda.current_stream(self.device))
        with torch.cuda.stream(side):
            for _ in range(warm):
                self._iterate()
        torch.cuda.current_stream(self.device).wait_stream(side)
        if available > warm:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._iterate()
        return warm

    @torch.no_grad()
    def sample(self, count: int, step: int = 0) -> Tensor:
        """(T, count, d) samples of the averaged generators.

        Drawn in blocks, so that a longer draw of the same ``step`` begins with the shorter one.
        """
        parameters = self.generator.unflatten(self.matrices["average"])
        blocks = [
            self.generator(
                parameters, self.noise.normal(Stream.POOL, (step << 20) + block, _BLOCK, self.latent)
            )
            for block in range(-(-count // _BLOCK))
        ]
        return torch.cat(blocks, dim=1)[:, :count]

    def chances(self, count: int, step: int = 0) -> Tensor:
        """(T, count) uniforms in (0, 1] that decide which samples are kept; a longer draw begins with the shorter."""
        blocks = [
            self.noise.uniform(Stream.ACCEPT, (step << 20) + block, _BLOCK)
            for block in range(-(-count // _BLOCK))
        ]
        return torch.cat(blocks, dim=1)[:, :count]

    @torch.no_grad()
    def real(self, count: int, step: int = 0) -> Tensor:
        """(T, count, d) real samples that training has not seen."""
        return self._real(Stream.UNSEEN, step, count)

    @torch.no_grad()
    def log_prob(self, x: Tensor) -> Tensor:
        """log q of the averaged flows at x (T, n, d) → (T, n)."""
        parameters = self.generator.unflatten(self.matrices["average"])
        blocks = [self.generator(parameters, part, log_prob=True) for part in x.split(_BLOCK, dim=1)]
        return torch.cat(blocks, dim=1)

    @torch.no_grad()
    def log_ratio(self, x: Tensor) -> Tensor:
        """log r̂ of the critics, exactly normalised, at x (T, n, d) → (T, n)."""
        parameters = self.constraint.exact(self.critic.unflatten(self.matrices["critic"]))
        logit = torch.cat([self.critic(parameters, part) for part in x.split(_BLOCK, dim=1)], dim=1)
        return self.objective.log_ratio(logit)

    def lam_sides(self) -> Tensor:
        """(T, 2) shares of generated points with λ r̂ below and above 1, averaged over training with λ.

        NaN for a trial that has not been trained with λ yet: at the start, during warm-up, or without one.
        """
        trained = (self.iteration - self._warmup).clamp(min=0.0)
        trained = torch.where(self._has_lam & (trained > 0), trained, torch.nan)
        return self.matrices["sides"] / trained.unsqueeze(1)

    @torch.no_grad()
    def lipschitz_bound(self) -> Tensor:
        """(T,) certified upper bounds on the critics' Lipschitz constants, as used in evaluation."""
        return self.constraint.bound(self.constraint.exact(self.critic.unflatten(self.matrices["critic"])))
