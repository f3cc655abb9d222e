"""A population against the plainest loop: modules, torch's Adam, losses written out, one trial, nothing stacked."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from tests.trainables.training.trials import FLOW, MLP, trial
from trainables.config import TrialConfig
from trainables.models.layers.couplings import RealNVP
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.pr import PR
from trainables.randomness import Noise, Stream
from trainables.sources.mixture import GaussianMixture
from trainables.training.population import Population

ITERATIONS = 12
BATCH, STEPS, SEED = 16, 2, 3


class Plain:
    """What the documentation says an iteration is."""

    def __init__(self, config: TrialConfig, generator: nn.Module, critic: nn.Module) -> None:
        self.config, self.noise = config, Noise(torch.tensor([SEED]))
        self.generator, self.critic = generator, critic
        training = config.training
        betas = (training.beta1, training.beta2)
        self.generator_adam = torch.optim.Adam(generator.parameters(), training.generator_lr, betas)
        self.critic_adam = torch.optim.Adam(critic.parameters(), training.critic_lr, betas)
        self.average = nn.utils.parameters_to_vector(generator.parameters()).detach()

    def real(self, stream: Stream, step: int) -> Tensor:
        law = self.config.dataset.source().law
        assert isinstance(law, GaussianMixture)
        uniform = self.noise.uniform(stream, 2 * step, BATCH)[0]
        return law.transform(uniform, self.noise.normal(stream, 2 * step + 1, BATCH, 2)[0])

    def score(self, x: Tensor) -> Tensor:
        return 30 * torch.tanh(self.critic(x).squeeze(-1) / 30)

    def iterate(self, step: int) -> None:
        for draw in range(step * STEPS, (step + 1) * STEPS):
            with torch.no_grad():
                fake = self.generator(self.noise.normal(Stream.CRITIC_LATENT, draw, BATCH, 2)[0])
            self.critic_adam.zero_grad()
            real = self.score(self.real(Stream.REAL, draw))
            # Logistic regression of real against generated.
            (softplus(-real).mean() + softplus(self.score(fake)).mean()).backward()
            self.critic_adam.step()
        self.generator_adam.zero_grad()
        logit = self.score(self.generator(self.noise.normal(Stream.GENERATOR_LATENT, step, BATCH, 2)[0]))
        self.loss(step, logit).backward()
        self.generator_adam.step()
        live = nn.utils.parameters_to_vector(self.generator.parameters()).detach()
        keep = self.config.training.ema
        self.average = keep * self.average + (1 - keep) * live

    def loss(self, step: int, logit: Tensor) -> Tensor:
        objective = self.config.objective
        if isinstance(objective, PR):
            # -E_Q[min(log λ r̂, 0)], r̂ = e^w.
            return -(logit + torch.tensor(objective.lam).log()).clamp(max=0).mean()
        assert isinstance(objective, FlowGan)
        surprise = -self.generator.log_prob(self.real(Stream.LIKELIHOOD, step)).mean()
        if step < (objective.warmup or 0):
            return surprise
        return softplus(-logit).mean() + 0.1 * surprise


def compare(config: TrialConfig, generator: nn.Module, critic: nn.Module) -> None:
    population = Population([config])
    nn.utils.vector_to_parameters(population.matrices["generator"][0].clone(), generator.parameters())
    nn.utils.vector_to_parameters(population.matrices["critic"][0].clone(), critic.parameters())
    plain = Plain(config, generator, critic)
    population.advance(ITERATIONS)
    for step in range(ITERATIONS):
        plain.iterate(step)
    for name, expected in (
        ("generator", nn.utils.parameters_to_vector(generator.parameters()).detach()),
        ("critic", nn.utils.parameters_to_vector(critic.parameters()).detach()),
        ("average", plain.average),
    ):
        torch.testing.assert_close(population.matrices[name][0], expected, rtol=1e-3, atol=2e-5, msg=name)


def test_pr_gan() -> None:
    config = trial(MLP, PR(lam=1.5), seed=SEED)
    compare(config, MLPGenerator(2, (8, 8), (2,)), MLPCritic((2,), (8, 8)))


def test_flow_gan_with_warm_up() -> None:
    config = trial(FLOW, FlowGan(warmup=4), seed=SEED)
    compare(config, RealNVP(2, 2, 8), MLPCritic((2,), (8, 8)))
