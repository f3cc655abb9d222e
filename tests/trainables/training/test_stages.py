"""A trial that begins at a base, and a critic that is trained alone before its generator."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainables.training.members import Parts, small
from tests.trainables.training.trials import MLP, trial
from trainables.config import TrialConfig
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.spectral import Spectral
from trainables.datasets import Dataset
from trainables.datasets.digits import Digits
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models import Model
from trainables.models.dcgan import Dcgan
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.objectives.obrs import Obrs
from trainables.objectives.pr import PR
from trainables.randomness import Stream
from trainables.start import Start
from trainables.training.population import Population
from trainables.training.rows import StateMisfit, TrialState

FIRST = 4


def beginning(config: TrialConfig, critic: str = "fresh") -> TrialConfig:
    return replace(config, start=Start("0" * 12, critic))


def base_of(config: TrialConfig, iterations: int = 6) -> TrialState:
    population = Population([config])
    population.advance(iterations)
    return population.state(0)


def test_generator_and_average_begin_at_the_average_of_the_base() -> None:
    model = Parts(generator="batchnorm", critic="batchnorm")
    base = base_of(small(model, seed=3))
    configs = [beginning(small(model, seed=3), critic) for critic in ("fresh", "kept")]
    population = Population(configs, starts=[base, base])
    fresh = Population([small(model, seed=3)]).state(0)
    for state in population.states():
        assert int(state["iteration"]) == 0
        assert torch.equal(state["generator"], base["average"])
        assert torch.equal(state["average"], base["average"])
        for name in base:
            if name.startswith("generator."):
                assert torch.equal(state[name], base[name]), name
            if name.endswith(("_first", "_second")):
                assert not state[name].any(), name
    assert not torch.equal(base["average"], base["generator"])
    for state, source in zip(population.states(), (fresh, base), strict=True):
        assert torch.equal(state["critic"], source["critic"])
        assert torch.equal(state["critic.1.running_mean"], source["critic.1.running_mean"])


@pytest.mark.parametrize(
    ("model", "dataset"),
    [
        (MlpGan(generator=(8, 8), critic=(8, 8), takes_lam=True), Gaussians8()),
        (Dcgan(latent=4, width=2, takes_lam=True), Digits()),
    ],
    ids=["mlp_gan", "dcgan"],
)
def test_a_training_with_lambda_as_an_input_may_begin_without(model: Model, dataset: Dataset) -> None:
    plain = trial(model.without_lam(), Gan(), dataset=dataset)
    population = Population([plain])
    population.advance(5)
    base = population.state(0)
    lams = [
        beginning(trial(model, PR(lam=lam, lams=(0.1, 10.0)), dataset=dataset)) for lam in (0.1, 1.0, 10.0)
    ]
    begun = Population(lams, starts=[base] * 3)
    assert begun.networks.takes_lam
    found, expected = begun.sample(20).x, population.sample(20).x
    torch.testing.assert_close(found, expected.expand_as(found), rtol=1e-4, atol=1e-5)
    begun.advance(5)
    assert not torch.allclose(begun.sample(20).x[0], begun.sample(20).x[2], atol=1e-5), "now it heeds λ"
    with pytest.raises(StateMisfit, match="its 'critic"):
        Population([replace(lams[0], start=Start("0" * 12, "kept"))], starts=[base])


def test_a_model_without_lambda_is_itself() -> None:
    assert MLP.without_lam() is MLP
    assert not replace(MLP, takes_lam=True).without_lam().takes_lam


def test_a_base_has_a_constraint_of_its_own() -> None:
    base = base_of(trial(objective=Gan(), constraint=Spectral(lipschitz=1.0)))
    population = Population([beginning(trial(), "kept")], starts=[base])
    assert torch.equal(population.state(0)["critic"], base["critic"])
    population.advance(2)


def test_a_trial_begins_at_what_was_measured_whatever_held_it_down() -> None:
    held = replace(
        trial(constraint=Spectral(lipschitz=5.0), iterations=6), generator_constraint=Spectral(lipschitz=2.0)
    )
    ended = Population([held])
    ended.advance(6)
    free = Population([beginning(trial(seed=0), "kept")], starts=[ended.state(0)])
    samples = ended.sample(50)
    torch.testing.assert_close(free.sample(50).x, samples.x)
    torch.testing.assert_close(free.logits(samples), ended.logits(samples))
    again = Population([held], [ended.state(0)])
    torch.testing.assert_close(again.sample(50).x, samples.x)


@pytest.mark.parametrize("steps", [1, 15])
def test_weights_that_are_made_orthonormal_are_made_so_once(steps: int) -> None:
    held = Bjorck(iterations=steps)
    config = replace(
        trial(MlpGan(generator=(8, 8), critic=(32, 32)), constraint=held, iterations=20),
        generator_constraint=held,
    )
    ended = Population([config])
    ended.advance(20)
    samples = ended.sample(50)
    base = ended.state(0)
    again = Population([config], [base])
    kept = Population([beginning(config, "kept")], starts=[base])
    twice = Population([config], [again.state(0)])
    for population in (again, kept, twice):
        torch.testing.assert_close(population.sample(50).x, samples.x, rtol=0, atol=0)
        torch.testing.assert_close(population.logits(samples), ended.logits(samples), rtol=0, atol=0)


@pytest.mark.parametrize("own", [Spectral(lipschitz=3.0), Spectral(lipschitz=9.0)], ids=["same", "other"])
@pytest.mark.parametrize("based", [True, False])
def test_a_critic_alone_is_trained_against_the_generator_that_is_measured(own: Spectral, based: bool) -> None:
    held = Spectral(lipschitz=3.0)
    base = base_of(replace(trial(iterations=60, generator_lr=1e-2), generator_constraint=held), 60)
    config = replace(trial(iterations=60, critic_first=30), generator_constraint=own)
    population = Population([beginning(config)], starts=[base]) if based else Population([config])
    population.advance(30)
    live = population.generator.unflatten(population.matrices["generator"])
    trained = population.generator_constraint.weights(live, update=False)
    latent = population.noise.normal(Stream.POOL, 0, 200, *population.latent_shape)
    seen, measured = (
        population.networks.generate(weights, latent, [], 0, training=False)
        for weights in (trained, population.final_generator())
    )
    torch.testing.assert_close(seen, measured, rtol=1e-3, atol=1e-3)


def test_what_an_objective_remembers_is_nothing_to_another() -> None:
    config = trial(objective=Obrs(delay=0.0, every=1), iterations=20)
    base = base_of(config, 20)
    assert base["objective"].abs().max() > 0.01, "log c"
    own = beginning(trial(objective=PR(calibrated=True)), "kept")
    begun = Population([own], starts=[base])
    assert begun.state(0)["objective"].shape == base["objective"].shape
    assert torch.equal(
        begun.state(0)["objective"], Population([trial(objective=own.objective)]).state(0)["objective"]
    )
    unknown = {name: value for name, value in base.items() if name != "kinds"}
    silent = Population([beginning(config, "kept")], starts=[unknown])
    assert not torch.equal(silent.state(0)["objective"], base["objective"]), "it does not say what it is of"


def test_a_critic_that_is_kept_comes_with_what_is_remembered_of_it() -> None:
    config = trial(objective=PR(calibrated=True), constraint=Spectral(lipschitz=3.0), critic_lr=1e-2)
    base = base_of(config, 20)
    assert base["objective"].abs().max() > 0.01
    same, fresh, other = (
        Population([beginning(one, critic)], starts=[base])
        for one, critic in ((config, "kept"), (config, "fresh"), (trial(), "kept"))
    )
    for name in ("objective", "constraint"):
        assert torch.equal(same.state(0)[name], base[name])
        assert not torch.equal(fresh.state(0)[name], base[name])
        assert not other.state(0)[name].numel(), "nothing is remembered there"
    x = same.sample(40)
    ended = Population([config], [base])
    torch.testing.assert_close(same.log_ratio(x), ended.log_ratio(x))


def test_rows_of_a_pack_may_begin_at_random_or_at_bases_of_their_own() -> None:
    base = base_of(trial(seed=1))
    configs = [trial(), beginning(trial(seed=1))]
    together = Population(configs, starts=[None, base])
    alone = [Population(configs[:1]), Population(configs[1:], starts=[base])]
    for population in (together, *alone):
        population.advance(5)
    for index, one in enumerate(alone):
        torch.testing.assert_close(
            together.matrices["generator"][index], one.matrices["generator"][0], rtol=1e-3, atol=1e-5
        )
    assert not torch.equal(alone[1].state(0)["generator"], base["average"])


def test_a_base_that_is_missing_or_does_not_fit_is_refused() -> None:
    config, base = beginning(trial()), base_of(trial())
    for starts in (None, [None]):
        with pytest.raises(ValueError, match="trials with a base must be given its state"):
            Population([config], starts=starts)
    with pytest.raises(ValueError, match="and only they"):
        Population([trial()], starts=[base])
    wide = replace(MLP, generator=(9,))
    with pytest.raises(
        StateMisfit, match=r"its 'average' is \(\d+,\) of torch.float32, the trial has"
    ) as raised:
        Population([trial(seed=1), beginning(trial())], starts=[None, base_of(trial(wide))])
    assert raised.value.index == 1
    narrow = base_of(trial(replace(MLP, critic=(4,))))
    Population([config], starts=[narrow])  # its critic is not needed
    with pytest.raises(StateMisfit, match="its 'critic' is"):
        Population([beginning(trial(), "kept")], starts=[narrow])
    del base["average"]
    with pytest.raises(StateMisfit, match="it lacks 'average'"):
        Population([config], starts=[base])


def first(**changes: float) -> TrialConfig:
    return trial(objective=PR(lam=1.0), critic_first=FIRST, **changes)


def test_the_critic_is_trained_alone_first() -> None:
    population, start = Population([first()]), Population([first()]).state(0)
    population.advance(FIRST)
    alone = population.state(0)
    assert not torch.equal(alone["critic"], start["critic"])
    for name in ("generator", "average", "generator_first", "sides"):
        assert torch.equal(alone[name], start[name]), name
    assert population.lam_sides().isnan().all(), "λ has trained nothing yet"
    population.advance(2)
    assert not torch.equal(population.state(0)["generator"], start["generator"])
    torch.testing.assert_close(population.lam_sides().sum(dim=1), torch.ones(1))


def test_the_first_step_of_the_generator_is_as_long_as_its_rate() -> None:
    population = Population([first(generator_lr=1e-3)])
    before = population.state(0)["generator"]
    population.advance(FIRST + 1)
    moved = (population.state(0)["generator"] - before).abs()
    assert float(moved.max()) == pytest.approx(1e-3, rel=1e-2), "Adam counts the generator's own steps"


@pytest.mark.parametrize("strides", [(9,), (FIRST, 5), (2, 4, 3)])
def test_strides_and_a_resume_in_between_change_nothing(strides: tuple[int, ...]) -> None:
    whole = Population([first()])
    for _ in range(9):
        whole.advance(1)
    population = Population([first()])
    for stride in strides:
        population.advance(stride)
        population = Population([first()], population.states())
    assert all(torch.equal(population.state(0)[name], value) for name, value in whole.state(0).items())
