"""D_GAN(P‖P̃) of laws refined at several budgets, bounded from below by critics of the refined laws themselves.

A first critic knows log r = log p/p̂ well enough to reject by: a = min(c r, 1), E[a] = 1/K, p̃ = K a p̂. What it says
of P̃ it must not be asked: among draws those are kept that it errs on, and where c r < 1 it takes p̃ for p whatever p is.
So each budget has a second critic, which begins at what the first implies,

    z(x) = log r(x) - log K a(x),                                               (the log ratio of P to P̃)

and is trained to tell real points from kept ones, a draw counting K a. The bound E_P[T] - E_P̃[f*(T)] with
T = -softplus(-z) is then taken over real points that no critic has seen and over fresh draws, z calibrated on others of
both. It is at most D_GAN(P‖P̃) in expectation, whatever the critics are, so that no loss is overstated; at K = 1 the
second critic is trained as long, so that budgets are compared alike. The thesis (Vérine 2024, C.2.3) trains a linear
layer 784-1 in its place and prints the primal value E_P̃[f(e^z)], which can be off to either side; both are given here.

Images are levels of grey and generated ones are not, and neither fill their space: in truth such laws have nothing in
common, and D_GAN is 0 for all generators. What is read is what critics of this size find. Or the laws are blurred: with
noise N(0, σ²) on real and generated points alike, before rejection, both have densities, and the loss means something.

D_GAN lies between -log 4, where the laws agree, and 0, where a critic tells them apart without fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid, softplus

from trainables.divergences import DIVERGENCES, primal_estimate
from trainables.objectives.fgan import Gan
from trainables.randomness import Noise, Stream
from trainables.rejection.calibration import calibrate
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.training.adam import RowAdam
from trainables.training.population import Population
from trainables.training.precision import products

__all__ = ["Bounds", "RefinedCritics"]

_STEPS = 1 << 30
"""Between the random numbers of the first critics' training and of the second's."""
_REAL = 1 << 10
"""Where the noise on unseen real points begins, beyond that on draws."""
_REPEATS = 15
"""Sets of draws that a population has beside its first."""
_BLOCK = 2048
"""Points that pass through a network at a time."""
_FEWEST = 100
_LARGEST = 30.0


@dataclass(frozen=True, eq=False)
class Bounds:
    """Of every budget and trial, (B, T) each, on the CPU.

    Attributes:
        dual: the bound on unseen points.
        error: its standard error over real points and draws.
        primal: E_P̃[f(e^z)] of the same critics, as the thesis has it.
        first: the dual bound by what the first critic implies, calibrated alike.
        rate: the share of draws that were kept.
    """

    dual: Tensor
    error: Tensor
    primal: Tensor
    first: Tensor
    rate: Tensor


class RefinedCritics:
    """The critics of a population, trained alone on generators that stand still, and B second critics beside each.

    In this order: ``train_first``, ``settle``, ``train_second``, ``bounds``. All trials share their random numbers:
    neighbours in a landscape differ by their parameters, not by their luck.
    """

    def __init__(
        self, population: Population, budgets: Sequence[float], blur: float = 0.0, seed: int = 0
    ) -> None:
        """The critics begin as the population's, which is not changed; ``blur``: σ of the noise on all points."""
        if any(not isinstance(config.objective, Gan) for config in population.configs):
            raise ValueError(
                "critics must be those of objective gan, whose logit is log r; train them with it"
            )
        self._population, self._budgets, self._blur, self._seed = population, tuple(budgets), blur, seed
        self._trials, self._device = len(population.configs), population.device
        self._noise = Noise(torch.tensor([seed], device=self._device))
        self._log_k = torch.tensor(self._budgets, device=self._device).log()
        self._first = population.matrices["critic"].clone()
        self._slope = torch.ones(self._trials, 1, device=self._device)
        self._offset = torch.zeros_like(self._slope)
        self._log_c = torch.full(
            (len(self._budgets), self._trials), torch.inf, dtype=torch.float64, device=self._device
        )
        self._second: list[Tensor] = []

    def train_first(self, iterations: int, rate: float, batch: int, precision: str = "tf32") -> None:
        """Train the first critics, Adam's rate falling linearly to 0; O(T · batch · P) an iteration."""
        zero = [torch.zeros(self._trials, batch, device=self._device)] * 2
        self._train([self._first], lambda _: [zero], 0, iterations, rate, batch, precision)

    def settle(self, held: Tensor, draws: int = 4096) -> None:
        """Calibrate the first critics on ``held`` unseen real points (n, *shape) and draws, and find each budget's c.

        The second critics begin here.
        """
        with products("float32", self._device), torch.no_grad():
            fake = self._logits(self._first, self._sample(draws, 0))
            real = self._logits(self._first, self._each(held, 0))
            self._slope, self._offset = (value.unsqueeze(1) for value in calibrate(real, fake))
            log_r = self._slope * fake + self._offset
            self._log_c = torch.stack([budget_constant(log_r, budget) for budget in self._budgets])
        self._second = [self._first.clone() for _ in self._budgets]

    def train_second(self, iterations: int, rate: float, batch: int, precision: str = "tf32") -> None:
        """Train the second critics in the same way; O(B · T · batch · P) an iteration."""
        if not self._second:
            raise ValueError("second critics begin where the first ones are settled; call settle before")

        def weights(points: tuple[Tensor, Tensor]) -> list[list[Tensor]]:
            log_r = [self._log_ratio(x) for x in points]
            return [[self._log_weight(at, one) for one in log_r] for at in range(len(self._budgets))]

        self._train(self._second, weights, 1, iterations, rate, batch, precision)

    def _train(
        self,
        rows: list[Tensor],
        weights: Callable[[tuple[Tensor, Tensor]], list[list[Tensor]]],
        phase: int,
        iterations: int,
        rate: float,
        batch: int,
        precision: str,
    ) -> None:
        """Logistic regression by each of some critics (T, P); ``weights``: log K a of each on real and drawn points."""
        ones = torch.ones(self._trials, device=self._device)
        training = self._population.configs[0].training
        adam = RowAdam(rate * ones, training.beta1 * ones, training.beta2 * ones)
        moments = [(torch.zeros_like(own), torch.zeros_like(own)) for own in rows]
        with products(precision, self._device):
            for step in range(iterations):
                points = self._batch(phase * _STEPS + step, batch)
                both, share = torch.cat(points, dim=1), ones * (1 - step / iterations)
                count = torch.tensor(step + 1, device=self._device)
                for flat, (mean, square), log_w in zip(rows, moments, weights(points), strict=True):
                    adam.step(flat, self._gradient(flat, both, log_w), mean, square, count, share)

    def _gradient(self, flat: Tensor, both: Tensor, log_w: list[Tensor]) -> Tensor:
        """(T, P) of the loss mean softplus(-z) over real points + mean K a softplus(z) over draws."""
        flat = flat.detach().requires_grad_()
        z = self._slope * self._logits(flat, both) + self._offset - torch.cat(log_w, dim=1)
        z_real, z_fake = z.chunk(2, dim=1)
        loss = softplus(-z_real).mean(1) + (log_w[1].exp() * softplus(z_fake)).mean(1)
        (gradient,) = torch.autograd.grad(loss.sum(), flat)
        return gradient

    @torch.no_grad()
    def bounds(self, held: Tensor, judged: Tensor) -> Bounds:
        """The bounds on ``judged`` real points (m, *shape), z calibrated on ``held`` (n, *shape); n + m draws are kept.

        Neither may have been trained on. O((n + m) · K_max) draws of every trial; fewer are kept where a trial's critic
        keeps fewer than it was asked for, and then so many of all.
        """
        with products("float32", self._device):
            real = [self._each(x, key) for key, x in enumerate((held, judged))]
            of_real = [self._values(x, self._log_ratio(x)) for x in real]
            drawn = self._drawn(round(1.1 * (len(held) + len(judged)) * max(self._budgets)))
        found: list[tuple[Tensor, ...]] = []
        for at in range(len(self._budgets)):
            kept = drawn.kept[at]
            count = min(int(kept.sum(dim=1).min()), len(held) + len(judged))
            if count < _FEWEST:
                raise ValueError(
                    f"at budget K = {self._budgets[at]:g} a critic keeps {count} draws, too few to read a loss; "
                    "lower its rate"
                )
            first = count * len(held) // (len(held) + len(judged))
            order = (~kept).byte().argsort(dim=1, stable=True)[:, :count]
            (of_held, of_judged) = of_real
            implied, dual = (
                _bound(of_held[which][at], of_judged[which][at], z[at].gather(1, order), first)
                for which, z in enumerate((drawn.implied, drawn.second))
            )
            found.append((*dual, implied[0], kept.double().mean(1)))
        return Bounds(*(torch.stack(values).cpu() for values in zip(*found, strict=True)))

    @torch.no_grad()
    def show(self, count: int) -> tuple[Tensor, Tensor]:
        """The first draws (T, count, *shape), not blurred, and which of them each budget keeps, (B, T, count)."""
        x = self._population.sample(count, self._population.iteration, 1).x
        return x, self._keeps(self._log_ratio(self._blurred(x, 1)), 1)

    def _blurred(self, x: Tensor, key: int) -> Tensor:
        """Points (T, n, *shape) with noise that is the same for all trials; a longer set begins as the shorter."""
        if not self._blur:
            return x
        noise = [
            self._noise.normal(Stream.DEQUANTISE, (key << 20) + at, _BLOCK, *x.shape[2:])
            for at in range(-(-x.shape[1] // _BLOCK))
        ]
        return x + self._blur * torch.cat(noise, dim=1)[:, : x.shape[1]]

    def _sample(self, count: int, repeat: int) -> Tensor:
        """Draws (T, count, *shape), blurred."""
        x = self._population.sample(count, self._population.iteration, repeat).x
        return self._blurred(x, repeat)

    def _each(self, x: Tensor, key: int) -> Tensor:
        """Real points (n, *shape) for all trials, (T, n, *shape), blurred; not copied."""
        blurred = self._blurred(x.to(self._device).unsqueeze(0), _REAL + key)
        return blurred.expand(self._trials, *x.shape)

    def _keeps(self, log_r: Tensor, repeat: int) -> Tensor:
        """(B, T, n) which draws of a repeat each budget keeps."""
        uniform = self._population.accept_uniforms(log_r.shape[1], self._population.iteration, repeat)
        return torch.stack([uniform <= acceptance(log_r, log_c) for log_c in self._log_c])

    def _batch(self, step: int, batch: int) -> tuple[Tensor, Tensor]:
        """Real and generated points to train with, (T, batch, *shape) each."""
        population, trials = self._population, self._trials
        real = population.source.draw(self._noise, Stream.REAL, step, batch).x
        latent = self._noise.normal(Stream.CRITIC_LATENT, step, batch, *population.latent_shape)
        latent = latent.expand(trials, *latent.shape[1:])
        with torch.no_grad():
            fake = population.networks.generate(
                population.final_generator(), latent, [], step, training=False
            )
        both = torch.cat((real.expand_as(fake), fake), dim=1)
        if self._blur:
            noise = self._noise.normal(Stream.PENALTY, step, 2 * batch, *fake.shape[2:])
            both = both + self._blur * noise
        return both[:, :batch], both[:, batch:]

    def _logits(self, critics: Tensor, x: Tensor) -> Tensor:
        """(T, n) of critics (T, P) at x (T, n, *shape)."""
        networks, parameters = self._population.networks, self._population.critic.unflatten(critics)
        parts = [networks.score(parameters, part, [], 0, training=False) for part in x.split(_BLOCK, dim=1)]
        return torch.cat(parts, dim=1)

    @torch.no_grad()
    def _log_ratio(self, x: Tensor) -> Tensor:
        """log r (T, n) of the first critics, calibrated."""
        return self._slope * self._logits(self._first, x) + self._offset

    def _log_weight(self, at: int, log_r: Tensor) -> Tensor:
        """log K a (T, n) at a budget, floored where a is too small to matter."""
        exponent = (log_r.double() + self._log_c[at].unsqueeze(1)).clamp(-_LARGEST, 0.0)
        return (exponent + self._log_k[at]).to(log_r.dtype)

    def _values(self, x: Tensor, log_r: Tensor) -> tuple[Tensor, Tensor]:
        """z (B, T, n) at x (T, n, *shape): as the first critics imply it, and as the second ones have it."""
        log_w = [self._log_weight(at, log_r) for at in range(len(self._budgets))]
        second = [self._slope * self._logits(flat, x) + self._offset for flat in self._second]
        return (
            torch.stack([log_r - one for one in log_w]),
            torch.stack([z - one for z, one in zip(second, log_w, strict=True)]),
        )

    def _drawn(self, least: int) -> _Drawn:
        """At least so many draws of every trial: their z, and which of them are kept."""
        repeats = min(_REPEATS, -(-least // _BLOCK))
        found = []
        for repeat in range(1, 1 + repeats):
            x = self._sample(-(-least // repeats), repeat)
            log_r = self._log_ratio(x)
            found.append((*self._values(x, log_r), self._keeps(log_r, repeat)))
        return _Drawn(*(torch.cat(parts, dim=2) for parts in zip(*found, strict=True)))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Of draws, (B, T, M) each: z as it is implied, z of the second critics, and whether a budget keeps them."""

    implied: Tensor
    second: Tensor
    kept: Tensor


def _bound(held: Tensor, judged: Tensor, kept: Tensor, first: int) -> tuple[Tensor, Tensor, Tensor]:
    """(T,) dual bound, standard error and primal value of z at real (T, n) and (T, m) and kept (T, count) points.

    z is calibrated on ``held`` and the ``first`` of the kept ones; what is returned are means over the others.
    """
    slope, offset = (value.unsqueeze(1) for value in calibrate(held, kept[:, :first]))
    real, fake = (slope * z + offset for z in (judged, kept[:, first:]))
    terms = logsigmoid(real.double()), logsigmoid(-fake.double())
    error = sum(term.var(dim=1) / term.shape[1] for term in terms)
    assert isinstance(error, Tensor)
    primal = primal_estimate(DIVERGENCES["gan"], log_ratio=fake.double().clamp(-_LARGEST, _LARGEST))
    return terms[0].mean(1) + terms[1].mean(1), error.sqrt(), primal
