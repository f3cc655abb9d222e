"""A start names its base and what is taken from it; bases of one training have one kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.spectral import Spectral
from trainables.datasets.gaussians25 import Gaussians25
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.start import Start, is_identity

BASE = TrialConfig(objective=Gan(), training=TrainingConfig(iterations=100))


def test_a_start_at_a_trial_carries_it_and_survives_as_plain_values() -> None:
    start = Start.at(BASE, "kept")
    assert (start.base, start.critic, start.config) == (BASE.identity(), "kept", BASE)
    assert Start.of(start.plain()) == start
    assert Start.of(start.plain()).config is None, "who trains it knows it"


def test_bases_of_one_training_are_of_one_kind() -> None:
    kinds = {
        Start.at(replace(BASE, seed=seed, dataset=data), "fresh").kind
        for seed in (0, 1)
        for data in (BASE.dataset, Gaussians25())
    }
    assert len(kinds) == 1
    longer = replace(BASE, training=TrainingConfig(iterations=101))
    assert Start.at(longer, "fresh").kind not in kinds
    assert Start("0123456789ab").kind == "0123456789ab", "nothing else is known of it"


@pytest.mark.parametrize("text", ["", "0123456789a", "0123456789abc", "0123456789aB", "base"])
def test_an_identity_is_twelve_hex_digits(text: str) -> None:
    assert not is_identity(text)
    with pytest.raises(ValueError, match="12 hex digits"):
        Start(text)


def test_a_critic_is_fresh_or_kept() -> None:
    with pytest.raises(ValueError, match=r"start\.critic must be fresh or kept, got 'new'"):
        Start("0123456789ab", "new")


CURVE = TrialConfig(model=MlpGan(takes_lam=True), objective=PR(lams=(0.1, 10.0)), training=BASE.training)
READING = replace(
    CURVE,
    objective=PR(lam=3.0),
    training=TrainingConfig(iterations=0),
    start=Start.at(CURVE, "kept"),
)


def test_a_base_that_takes_lambda_is_read_at_any_lambda_it_was_trained_for() -> None:
    assert READING.only_read
    assert not CURVE.only_read
    names = {replace(READING, objective=PR(lam=lam)).identity() for lam in (0.1, 3.0, 10.0)}
    assert len(names | {CURVE.identity()}) == 4
    unknown = replace(READING, objective=PR(lam=99.0), start=Start(CURVE.identity(), "kept"))
    assert unknown.only_read, "nothing is known of the base"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"start": None}, r"training\.iterations must be ≥ 1, got 0; only a trial with start"),
        ({"start": Start.at(CURVE, "fresh")}, r"may have none, and is its base read at another λ"),
        ({"model": MlpGan()}, r"needs a model that takes λ, and 'mlp_gan' does not"),
        ({"objective": PR(lam=0.05)}, r"trained for, 0\.1 to 10, got 0\.05; widen base\.objective\.lams"),
        ({"objective": PR(lam=1.0, lams=(0.5, 20.0))}, r"0\.1 to 10, got 20;"),
        ({"objective": Gan()}, r"got gan and pr with critic logistic; repeat it"),
        ({"objective": PR(critic="chi2")}, r"got pr with critic chi2 and pr with critic logistic"),
        (
            {"objective": PR(calibrated=True)},
            r"got pr with critic logistic, calibrated and pr with critic logistic;",
        ),
        ({"constraint": Spectral()}, r"section 'constraint' must be that of the base, got"),
        ({"generator_constraint": Spectral()}, r"section 'generator_constraint' must be that of the base"),
        ({"training": TrainingConfig(iterations=1)}, None),
    ],
)
def test_only_that_is_read_without_training(changes: dict[str, object], sentence: str | None) -> None:
    if sentence is None:
        assert not replace(READING, **changes).only_read
        return
    with pytest.raises(ValueError, match=sentence):
        replace(READING, **changes)


def test_a_base_trained_at_one_lambda_is_read_at_no_other() -> None:
    single = Start.at(replace(CURVE, objective=PR(lam=3.0)), "kept")
    assert replace(READING, start=single).only_read
    with pytest.raises(ValueError, match="3 to 3, got 1;"):
        replace(READING, objective=PR(), start=single)


@pytest.mark.parametrize(("section", "critic"), [("generator_constraint", "fresh"), ("constraint", "kept")])
def test_networks_that_are_taken_over_keep_their_layers(section: str, critic: str) -> None:
    plain = TrialConfig(model=MlpGan(generator=(8, 8), critic=(8, 8)))
    sorting = replace(plain, **{section: Bjorck()})  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=rf"section '{section}' changes, got none and bjorck of the base; repeat it"
    ):
        replace(plain, start=Start.at(sorting, critic))
    assert replace(sorting, start=Start.at(sorting, critic)).start is not None
    assert replace(plain, start=Start.at(replace(plain, constraint=Bjorck()), "fresh")).start is not None
