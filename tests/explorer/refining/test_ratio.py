"""The ratio of a trial is exact by densities, learnt of its training and calibrated on what training has not seen."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from explorer.errors import UserError
from explorer.refining import Wish, ratio
from explorer.refining.ratio import CALIBRATING, MOST_HELD, calibrated_ratio, held_out, ratio_model
from explorer.refining.stored import kept_sampler, reading_sweep
from explorer.results.store import ResultStore
from tests.explorer.refining.stored_trials import FLOW, RING, TAGS, table_of, trial_of
from trainables.datasets.digits import Digits
from trainables.datasets.gaussians8 import Gaussians8
from trainables.randomness import Noise, Stream
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs
from trainables.rejection.calibrations import Slope
from trainables.samplers.calibrating import calibrated_on
from trainables.samplers.fitted import FittedRatio
from trainables.samplers.pool import Drawable, Pool
from trainables.samplers.sampler import Sampler
from trainables.samplers.trained import Trained
from trainables.samplers.with_ratio import _WithRatio
from trainables.sources.array_source import ArraySource

METHOD = Obrs(budgets=(1.0, 4.0))


def sampler_of(uri: str, sweep: str, objective: str) -> Sampler:
    store, table = ResultStore(uri), table_of(uri, sweep)
    trial = trial_of(uri, sweep, **{"objective.name": objective})
    reading_sweep(store, table, trial, {"name": "obrs"}, {})  # a plugin comes with it
    return kept_sampler(store, table, trial, "cpu")


def first(model: Drawable, seed: int = 0) -> Pool:
    return next(iter(model.pools(seed)))


def ratio_of(pool: Pool) -> Tensor:
    assert pool.log_ratio is not None
    return pool.log_ratio


def test_the_density_ratio_is_the_law_against_the_change_of_variables(refinable: str) -> None:
    source = Gaussians8().source()
    assert source.law is not None
    model = ratio_model(sampler_of(refinable, FLOW, "flow_gan"), METHOD, source, "it", Wish(ratio="density"))
    pool = first(model)
    block = pool.block
    assert block is not None
    for place in range(5):
        z = block.latent[0, place].double()

        def made(z: Tensor, place: int = place) -> Tensor:
            latent = block.latent.clone()
            latent[0, place] = z.float()
            return block.generate(latent)[0, place]

        jacobian = torch.func.jacrev(made)(z)
        log_q = -z.square().sum() / 2 - math.log(2 * math.pi) - torch.linalg.slogdet(jacobian).logabsdet
        exact = source.law.log_prob(made(z)) - log_q
        assert float(ratio_of(pool)[place]) == pytest.approx(float(exact), abs=2e-3)


def test_the_density_of_a_gan_and_data_without_a_law_are_refused(refinable: str) -> None:
    wish = Wish(ratio="density")
    gan = sampler_of(refinable, RING, "gan")
    with pytest.raises(
        ValueError, match="known from densities where the model has one, and this one has none"
    ):
        ratio_model(gan, METHOD, Gaussians8().source(), "it", wish)
    with pytest.raises(
        ValueError, match="density of the data must be known for ratio density; use the critic"
    ):
        ratio_model(gan, METHOD, ArraySource(torch.randn(50, 2)), "it", wish)


@pytest.mark.parametrize("objective", ["hinge", "wasserstein", "tv", "naive_pr"])
def test_only_a_calibration_that_is_named_makes_a_ratio_of_any_score(refinable: str, objective: str) -> None:
    sampler = sampler_of(refinable, RING, objective)
    for kind in (None, "none", "normalised"):
        sentence = (
            f"of trial x was trained with objective '{objective}', whose best critic does not determine"
        )
        with pytest.raises(UserError, match=sentence):
            ratio_model(sampler, METHOD, None, "trial x", Wish(calibration=kind))
    for kind in ("slope", "isotonic"):
        model = ratio_model(sampler, METHOD, None, "trial x", Wish(calibration=kind))
        assert isinstance(model, Trained)
    assert isinstance(ratio_model(sampler, HardTruncation(), None, "trial x", Wish()), Trained)


def test_equal_seeds_fit_the_same_classifier_of_the_training(
    refinable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratio, "LEARNT", 600)
    sampler, source = sampler_of(refinable, RING, "hinge"), Gaussians8().source()

    def fitted(seed: int) -> Tensor:
        return ratio_of(
            first(ratio_model(sampler, METHOD, source, "it", Wish(ratio="classifier", seed=seed)))
        )

    one = fitted(1)
    assert torch.equal(one, fitted(1))
    assert not torch.equal(one, fitted(2))
    law = source.law
    assert law is not None
    points = first(Trained(sampler)).points
    ranks = torch.stack((one, law.log_prob(points))).argsort(1).argsort(1).double()
    assert float(torch.corrcoef(ranks)[0, 1]) > 0.5


def test_a_classifier_sees_every_point_of_a_finite_set_once(
    refinable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainables.samplers.fitted.MOST_EPOCHS", 1)
    sampler, source = sampler_of(refinable, TAGS, "gan"), Digits().source()
    images, classes = Digits().parts()[0]
    assert classes is not None
    for label, real in ((None, images), (3, images[classes == 3])):
        wish = Wish(ratio="classifier", label=label)
        found = ratio_model(sampler, METHOD, source, "it", wish)
        assert isinstance(found, _WithRatio)
        assert isinstance(found._log_ratio, FittedRatio)
        assert found._log_ratio.real == len(as_rows(real))


def test_held_out_digits_are_the_first_of_those_that_training_never_saw() -> None:
    dataset = Digits()
    source = dataset.source()
    points, classes = held_out(dataset, source, Wish())
    expected = source.reference(dataset.held_out_count or 0)
    assert torch.equal(points, expected.x)
    assert expected.y is not None
    assert classes is not None
    assert torch.equal(classes, expected.y)
    assert not as_rows(points) & as_rows(source.draw(Noise(torch.tensor([0])), Stream.REAL, 0, 20_000).x[0])


def test_held_out_points_of_a_set_of_unknown_size_come_once() -> None:
    dataset = Digits(only=(3,))
    assert dataset.held_out_count is None
    points, classes = held_out(dataset, dataset.source(), Wish())
    assert len(as_rows(points)) == len(points) < 100
    assert classes is not None
    assert len(classes) == len(points)


def as_rows(points: Tensor) -> set[bytes]:
    return {row.numpy().tobytes() for row in points}


def test_held_out_points_of_a_law_are_fresh_ones_of_the_seed() -> None:
    dataset, source = Gaussians8(), Gaussians8().source()
    points, _ = held_out(dataset, source, Wish(seed=5))
    assert points.shape == (MOST_HELD, 2)
    assert torch.equal(points, held_out(dataset, source, Wish(seed=5))[0])
    others = held_out(dataset, source, Wish(seed=6))[0]
    trained = source.draw(Noise(torch.tensor([5])), Stream.REAL, 0, MOST_HELD).x[0]
    measured = source.reference(MOST_HELD).x
    for other in (others, trained, measured):
        assert not as_rows(points) & as_rows(other)


@pytest.mark.parametrize(
    ("asked", "kind"),
    [({}, "slope"), ({"calibration": "isotonic"}, "isotonic"), ({"ratio": "density"}, "none")],
    ids=["critic", "isotonic", "density"],
)
def test_reliability_comes_with_a_ratio(refinable: str, asked: dict[str, str], kind: str) -> None:
    dataset, wish = Gaussians8(), Wish(**asked)  # type: ignore[arg-type]
    source = dataset.source()
    base = ratio_model(sampler_of(refinable, FLOW, "flow_gan"), METHOD, source, "it", wish)
    model, found = calibrated_ratio(base, METHOD, held_out(dataset, source, wish), wish)
    assert found is not None
    assert (found.source, found.calibration) == (wish.ratio, kind)
    reliability = found.reliability
    assert reliability is not None
    assert reliability.budget == 4
    if wish.ratio == "density":
        assert reliability.verdict.trusted
    ranks = ratio_of(first(model)).argsort().argsort().sub(ratio_of(first(base)).argsort().argsort())
    assert kind == "isotonic" or int(ranks.abs().max()) == 0


def test_what_asks_for_no_ratio_gets_none(refinable: str) -> None:
    base = Trained(sampler_of(refinable, RING, "hinge"))
    none = torch.zeros(0, 2)
    assert calibrated_ratio(base, HardTruncation(), (none, None), Wish()) == (base, None)


def test_draws_of_a_class_are_calibrated_on_real_points_of_it(refinable: str) -> None:
    dataset, wish = Digits(), Wish(label=3, calibration="slope")
    base = Trained(sampler_of(refinable, TAGS, "gan"), label=3)
    real, classes = held_out(dataset, dataset.source(), wish)
    assert classes is not None
    model, _ = calibrated_ratio(base, METHOD, (real, classes), wish)
    own = real[classes == 3]
    expected = calibrated_on(base, Slope, own, len(own), CALIBRATING, 4.0).model
    torch.testing.assert_close(ratio_of(first(model)), ratio_of(first(expected)))
