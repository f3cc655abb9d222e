"""A trial's name depends on what has an effect, and every refusal says what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.sweep.document import load_sweep
from explorer.sweep.members import build_trial
from trainables.config import FAMILIES, SECTIONS, TrainingConfig, TrialConfig, fingerprint, flatten
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.clipping import Clipping
from trainables.constraints.gradient_penalty import GradientPenalty
from trainables.constraints.none import Free
from trainables.constraints.r1 import R1
from trainables.constraints.spectral import Spectral
from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.gaussians25 import Gaussians25
from trainables.datasets.mixture1d import Mixture1d
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.objectives.fgan import KL, Gan
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.hinge import Hinge
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.start import Start

FLOW = RealNvp()

# Stored sweeps are found again by these names: they may change only on purpose.
IDENTITY_OF_DEFAULTS = "a3890b5aa382"
IDENTITIES_OF_THE_DEMO = {
    ("pr", 0.2): ["bd26167c2767", "66971bbca689", "c34a3d6d4353", "0362f04d1b7b"],
    ("pr", 0.3): ["f93e1bed5e77", "bf2514b0f296", "9eccd4953a79", "318ea1b946b0"],
    ("pr", 0.7): ["8f3a47c5cb39", "4da5d97d4330", "90eb06ff827d", "191e41223d12"],
    ("pr", 1.5): ["b2e0fe32dfd5", "6f2e976f89bb", "148d07561ab4", "c99599a6409d"],
    ("pr", 5.0): ["75eeab026819", "4289de2a04df", "5027043b85c2", "a6362d08c34e"],
    ("pr", 10.0): ["059ad6502112", "247ccaac99d3", "579c11a451fb", "0278b90df394"],
    ("pr", 20.0): ["2ef1b0e744a0", "56ac33cb4147", "d77c827c3e88", "b14322866c0f"],
    ("gan", None): ["beb24caa0ecf", "1b24d33eface", "5e9180d17fb2", "70330a5f256c"],
    ("hinge", None): ["76525e95ba7e", "875fb4dd4c41", "7cb701866b44", "3aa92b453c88"],
}


def trial(**sections: Any) -> TrialConfig:
    return TrialConfig(**sections)


DEMO: dict[str, Any] = {
    "name": "demo",
    "model": {"name": "mlp_gan", "size": "small", "generator": [24, 24]},
    "training": {"iterations": 2000, "batch_size": 256, "critic_steps": 1},
    "seeds": 4,
    "space": [
        {"objective.name": ["pr"], "objective.lam": [0.2, 0.3, 0.7, 1.5, 5, 10, 20]},
        {"objective.name": ["gan", "hinge"]},
    ],
}
"""The demo as it was in 0.1: its trials have these names in stores."""


def demo() -> list[TrialConfig]:
    sweep = load_sweep(DEMO)
    return [one for point in sweep.space.grid() for one in sweep.repeats(point)]


def test_the_name_is_twelve_hex_digits_that_stay() -> None:
    assert trial().identity() == IDENTITY_OF_DEFAULTS
    assert len(IDENTITY_OF_DEFAULTS) == 12
    found: dict[Any, list[str]] = {}
    for one in demo():
        found.setdefault((one.objective.name, getattr(one.objective, "lam", None)), []).append(one.identity())
    assert found == IDENTITIES_OF_THE_DEMO
    assert len({name for names in found.values() for name in names}) == 36


def test_a_base_and_what_becomes_of_its_critic_are_part_of_the_name() -> None:
    starts = [None, Start("0" * 12), Start("0" * 12, "kept"), Start("1" * 12)]
    trials = [trial(start=start) for start in starts]
    assert len({one.identity() for one in trials}) == 4
    assert len({one.shape() for one in trials}) == 1, "they stack all the same"
    assert trial(start=Start("0" * 12, kind="1" * 12)).identity() == trials[1].identity()
    assert "start.from" not in trials[0].params()
    assert trials[2].params()["start.from"] == "0" * 12
    assert trials[2].params()["start.critic"] == "kept"
    for one in trials:
        assert build_trial(one.plain(), one.seed) == one


def test_the_critic_alone_is_common_to_a_pack() -> None:
    shapes = {trial(training=TrainingConfig(critic_first=n)).shape() for n in (0, 10, 20)}
    assert len(shapes) == 3
    assert TrainingConfig(iterations=50, critic_first=20).generator_iterations == 30


def grown(value: Any) -> Any:
    """The same config of a class with one more field, left at its default."""
    kind: Any = type(value)

    @dataclass(frozen=True)
    class Grown(kind):  # type: ignore[misc]
        name_of_a_new_field: float = 0.25

    return Grown(**{f.name: getattr(value, f.name) for f in kind.declared()})


@pytest.mark.parametrize("section", SECTIONS)
def test_a_new_optional_field_leaves_every_name_as_it_is(section: str) -> None:
    for one in demo():
        later = replace(one, **{section: grown(getattr(one, section))})
        assert later.identity() == one.identity()
        given_now = replace(getattr(later, section), name_of_a_new_field=0.5)
        assert replace(one, **{section: given_now}).identity() != one.identity()


@pytest.mark.parametrize("section", FAMILIES)
def test_a_new_version_is_another_trial(section: str) -> None:
    kind: Any = type(getattr(trial(), section))

    @dataclass(frozen=True)
    class Newer(kind):  # type: ignore[misc]
        version: ClassVar[int] = kind.version + 1

    assert trial(**{section: Newer()}).identity() != trial().identity()


@pytest.mark.parametrize(
    "assignment",
    [
        "refinement={name: obrs, budgets: [3]}",
        "refinement={name: none}",
        "refinement=[{name: none}, {name: obrs}]",
        "evaluation.samples=77",
        "evaluation.k=5",
        "evaluation.every=7",
        "evaluation.metrics=[neighbours, frechet, kernel]",
        "evaluation.features=identity",
    ],
)
def test_the_name_does_not_depend_on_how_a_trial_is_read(assignment: str) -> None:
    sweep = load_sweep(DEMO, [assignment])
    names = [one.identity() for point in sweep.space.grid() for one in sweep.repeats(point)]
    assert names == [name for names in IDENTITIES_OF_THE_DEMO.values() for name in names]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"model": MlpGan(generator=(32, 32), critic=(64, 64, 64), latent=2)}, {}),
        ({"objective": PR(lam=1, critic="logistic", form="log", likelihood=0)}, {}),
        ({"training": TrainingConfig(iterations=2000, beta1=0.5)}, {}),
        (
            {"model": FLOW, "objective": FlowGan()},
            {"model": FLOW, "objective": FlowGan(likelihood=0.1)},
        ),
    ],
)
def test_what_is_said_and_would_be_so_anyway_is_not_part_of_the_name(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert trial(**one) == trial(**other)
    assert trial(**one).identity() == trial(**other).identity()


@pytest.mark.parametrize("size", ["small", "medium", "thesis"])
def test_a_size_is_the_widths_it_stands_for(size: str) -> None:
    by_size = build_trial({"model": {"size": size}}, 0)
    model: Any = by_size.model
    by_width = trial(model=MlpGan(generator=model.generator, critic=model.critic))
    assert by_size.identity() == by_width.identity()
    assert "model.size" not in by_size.params()


@pytest.mark.parametrize(
    "changed",
    [
        {"objective": PR(lam=2.0)},
        {"objective": PR(critic="chi2")},
        {"objective": PR(form="primal")},
        {"objective": KL()},
        {"constraint": Spectral()},
        {"constraint": Spectral(lipschitz=1.0)},
        {"generator_constraint": Spectral()},
        {"generator_constraint": Clipping()},
        {"model": MlpGan(generator=(64, 64))},
        {"model": MlpGan(latent=3)},
        {"model": FLOW},
        {"dataset": Gaussians25()},
        {"training": TrainingConfig(generator_lr=2e-3)},
        {"training": TrainingConfig(decay=0.25)},
        {"seed": 1},
    ],
)
def test_what_has_an_effect_is_part_of_the_name(changed: dict[str, Any]) -> None:
    assert trial(**changed).identity() != trial().identity()


def test_every_pair_of_members_is_told_apart() -> None:
    names = [
        trial(model=FLOW, objective=objective).identity()
        for objective in (
            PR(), PR(warmup=0), PR(likelihood=1), Gan(), Hinge(), KL(), MaximumLikelihood(), FlowGan()
        )
    ]  # fmt: skip
    assert len(set(names)) == len(names)


@given(whole=st.integers(1, 50))
def test_one_and_one_point_zero_are_one_trial(whole: int) -> None:
    def spelled(number: type) -> TrialConfig:
        return trial(
            objective=PR(lam=number(whole)),
            constraint=Spectral(lipschitz=number(whole)),
            training=TrainingConfig(generator_lr=number(whole), beta1=number(0)),
        )

    assert spelled(int).identity() == spelled(float).identity()
    assert json.dumps(spelled(int).params()) == json.dumps(spelled(float).params())


@given(order=st.permutations(sorted(asdict(TrainingConfig()))))
def test_the_order_of_keys_does_not_matter(order: list[str]) -> None:
    values = asdict(TrainingConfig(iterations=7, ema=0.9))
    shuffled = trial(training=TrainingConfig(**{key: values[key] for key in order}))
    assert shuffled.identity() == trial(training=TrainingConfig(iterations=7, ema=0.9)).identity()


@pytest.mark.parametrize("model", [MlpGan(), FLOW])
@pytest.mark.parametrize("objective", [PR(lam=3), Gan()])
def test_a_trial_comes_back_from_its_plain_form(model: Any, objective: Any) -> None:
    one = trial(model=model, objective=objective, constraint=Spectral(lipschitz=2), seed=5)
    sections = json.loads(json.dumps(one.plain()))
    seed = sections.pop("seed")
    again = build_trial(sections, seed)
    assert again == one
    assert again.identity() == one.identity()


def test_params_are_dotted_paths_of_what_applies() -> None:
    gan = trial(objective=PR(lam=0.5), constraint=Spectral(lipschitz=3)).params()
    assert gan["objective.lam"] == 0.5
    assert gan["constraint.lipschitz"] == 3.0
    assert gan["model.critic"] == "[64, 64, 64]"
    assert gan["seed"] == 0
    assert gan["dataset.name"] == "gaussians8"
    assert not {"model.size", "model.couplings", "objective.warmup"} & set(gan)
    flow = trial(model=FLOW, objective=PR(warmup=25), training=TrainingConfig(iterations=100)).params()
    assert (flow["model.couplings"], flow["model.width"], flow["objective.warmup"]) == (4, 64, 25)
    assert flow["objective.likelihood"] == 0.0
    assert not {"model.generator", "model.latent", "constraint.lipschitz"} & set(flow)
    assert not any(path.startswith(("refinement", "evaluation")) for path in gan)
    assert "objective.lam" not in trial(objective=Gan()).params()


def test_flatten() -> None:
    nested = {"a": {"b": 1, "c": {"d": None, "e": (1.5, 2.0)}}, "f": False, "g": [], "h": {}}
    assert flatten(nested) == {"a.b": 1, "a.c.e": "[1.5, 2.0]", "f": False, "g": "[]"}


def test_a_fingerprint_is_of_values_not_of_order() -> None:
    assert fingerprint({"a": 1, "b": [2.0]}) == fingerprint({"b": [2.0], "a": 1})
    assert fingerprint([1, 2]) != fingerprint([2, 1])
    assert fingerprint({}, digits=5) == fingerprint({})[:5]
    # SHA-256 of "{}".
    assert fingerprint({}, 64) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"seed": 5}, True),
        ({"objective": Hinge()}, True),
        ({"constraint": Spectral(lipschitz=2)}, True),
        ({"generator_constraint": Spectral(lipschitz=2)}, True),
        ({"constraint": Bjorck()}, False),
        ({"generator_constraint": Bjorck()}, False),
        ({"training": TrainingConfig(generator_lr=0.1, critic_lr=0.2, ema=0.5, beta1=0.1, beta2=0.2)}, True),
        ({"training": TrainingConfig(decay=0.1)}, True),
        ({"model": MlpGan(generator=(32, 32), critic=(64, 64, 64))}, True),
        ({"model": MlpGan(latent=4)}, False),
        ({"model": FLOW}, False),
        ({"dataset": Gaussians25()}, False),
        ({"training": TrainingConfig(iterations=2001)}, False),
        ({"training": TrainingConfig(batch_size=255)}, False),
        ({"training": TrainingConfig(critic_steps=1)}, False),
    ],
)
def test_shape_tells_what_can_be_stacked(change: dict[str, Any], same: bool) -> None:
    assert (trial(**change).shape() == trial().shape()) is same


REFUSED: list[tuple[Any, str]] = [
    *[
        (
            lambda first=first: TrainingConfig(iterations=10, critic_first=first),
            f"training.critic_first must be ≥ 0 and leave iterations to the generator, got {first} of 10; use fewer",
        )
        for first in (-1, 10)
    ],
    (
        lambda: trial(
            model=FLOW, objective=PR(warmup=5), training=TrainingConfig(iterations=10, critic_first=5)
        ),
        "objective.warmup must leave iterations to the objective itself, got 5 of 5",
    ),
    *[
        (
            lambda name=name: TrainingConfig(**{name: 0}),
            f"training.{name} must be positive and finite, got 0",
        )
        for name in ("batch_size", "critic_steps", "generator_lr", "critic_lr")
    ],
    (lambda: TrainingConfig(iterations=-1), "training.iterations must be ≥ 1, got -1"),
    (
        lambda: trial(training=TrainingConfig(iterations=0)),
        "training.iterations must be ≥ 1, got 0; only a trial",
    ),
    *[
        (
            lambda name=name, v=v: TrainingConfig(**{name: v}),
            f"training.{name} must be in [0, 1), got {v}",
        )
        for name in ("beta1", "beta2", "ema")
        for v in (1.0, -0.1, nan)
    ],
    *[
        (lambda v=v: TrainingConfig(decay=v), f"training.decay must be in [0, 1], got {v}")
        for v in (1.1, -0.1, nan)
    ],
    *[
        (
            lambda member=member: trial(objective=member),
            f"objective '{member.name}' needs a likelihood, which model 'mlp_gan' lacks; use model realnvp",
        )
        for member in (MaximumLikelihood(), FlowGan())
    ],
    *[
        (
            lambda field=field: trial(objective=PR(**{field: 1})),
            f"objective.{field} needs a model with a density, which 'mlp_gan' has not; "
            "leave it out, or use model realnvp",
        )
        for field in ("likelihood", "warmup")
    ],
    (
        lambda: trial(model=FLOW, dataset=Mixture1d()),
        "model realnvp splits coordinates and needs images, or points of at least 2, got data of shape (1,); "
        "use another dataset, or model residual",
    ),
    *[
        (
            lambda member=member: trial(generator_constraint=member),
            f"generator_constraint must bound weights, got '{member.name}', a penalty on a critic's gradients; "
            "use spectral, bjorck or clipping, or name it under constraint",
        )
        for member in (GradientPenalty(), R1())
    ],
    *[
        (lambda seed=seed: trial(seed=seed), f"seed must be a whole number in [0, 2^62), got {seed}")
        for seed in (-1, 2**62)
    ],
]


@pytest.mark.parametrize(("build", "sentence"), REFUSED)
def test_refusals_say_what_is_wrong(build: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        build()
    assert str(refusal.value).startswith(sentence)


def test_the_families_that_name_a_trial() -> None:
    assert SECTIONS == ("dataset", "model", "objective", "constraint", "generator_constraint", "training")
    for section, family in FAMILIES.items():
        assert section.endswith(family.noun)
        default = getattr(trial(), section)
        assert default == family[family.default]()
    assert (trial().dataset, trial().constraint) == (Gaussians8(), Free())


def test_constraints_that_prepare_networks_are_packed_with_their_like() -> None:
    one, other = trial(constraint=Bjorck()), trial(generator_constraint=Bjorck())
    assert one.shape() != other.shape()
    assert trial(constraint=Bjorck(lipschitz=2)).shape() == one.shape()
    assert trial(constraint=Bjorck(iterations=3)).shape() != one.shape()


def test_a_free_generator_is_named_as_before_generators_could_be_constrained() -> None:
    assert trial(generator_constraint=Free()).identity() == trial().identity()
    assert trial(constraint=Spectral()).identity() != trial(generator_constraint=Spectral()).identity()
    assert trial(generator_constraint=Spectral(lipschitz=2)).params()["generator_constraint.lipschitz"] == 2.0


def test_configs_are_read_without_torch() -> None:
    code = "import sys, trainables.config, trainables.evaluation.settings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("iterations", [100, 500])
def test_a_warmup_leaves_iterations_to_the_objective(iterations: int) -> None:
    training = TrainingConfig(iterations=iterations)
    with pytest.raises(ValueError, match=r".") as refusal:
        trial(model=FLOW, objective=PR(warmup=500), training=training)
    assert str(refusal.value) == (
        f"objective.warmup must leave iterations to the objective itself, got 500 of {iterations}; use fewer, or "
        "objective mle for likelihood alone"
    )
    trial(model=FLOW, objective=PR(warmup=iterations - 1), training=training)
    trial(model=FLOW, objective=MaximumLikelihood(), training=training)


@pytest.mark.parametrize(
    ("part", "method", "sentence"),
    [
        (
            PR,
            "check_model",
            "check_model() of objective 'pr' must raise ValueError or nothing, but it raised KeyError",
        ),
        (
            PR,
            "warmup_iterations",
            "warmup_iterations() of objective 'pr' must give a number, but it raised KeyError",
        ),
        (
            MlpGan,
            "check_data",
            "check_data() of model 'mlp_gan' must raise ValueError or nothing, but it raised Key",
        ),
    ],
)
def test_what_a_member_raises_instead_of_a_sentence_is_blamed_on_it(
    part: type[PR | MlpGan], method: str, sentence: str
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("x")

    member = type("Broken", (part,), {method: broken})()
    with pytest.raises(ValueError, match=r".") as refusal:
        trial(**{"objective" if part is PR else "model": member})
    assert str(refusal.value).startswith(sentence)
