"""Every dataset: pure draws, a reference that training never sees, and a law that is what it says."""

from __future__ import annotations

import atexit
import math
import tempfile
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.trainables.datasets.made_sets import make_celeba, make_cifar10, make_folder, make_mnist
from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from trainables.datasets import DATASETS, Dataset
from trainables.datasets.celeba import CelebA
from trainables.datasets.cifar10 import Cifar10
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.datasets.folder import Folder
from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.gaussians25 import Gaussians25
from trainables.datasets.mixture1d import Mixture1d
from trainables.datasets.mnist import Mnist
from trainables.datasets.rings import Rings
from trainables.precision_recall import equiangular_grid
from trainables.precision_recall.neighbours import curve_from_neighbours
from trainables.randomness import Noise, Stream
from trainables.sources.law import Law

_made = tempfile.TemporaryDirectory()
atexit.register(_made.cleanup)
MADE = Path(_made.name)
make_mnist(MADE / "idx")
make_cifar10(MADE / "cifar")
make_celeba(MADE / "celeba")
make_folder(MADE / "folder", each=150)

MEMBERS: list[Dataset] = [
    Gaussians8(),
    Gaussians25(),
    Mixture1d(),
    Rings(radii=(1.0, 2.5)),
    Digits(size=16),
    Mnist(root=str(MADE / "idx"), only=(7, 1, 2, 3, 4, 5, 6, 8, 9, 0)),
    FashionMnist(root=str(MADE / "idx"), size=32),
    Cifar10(root=str(MADE / "cifar")),
    CelebA(root=str(MADE / "celeba"), size=16, attribute="Smiling"),
    Folder(root=str(MADE / "folder"), size=8, held_out=0.7),
]
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
lawful = pytest.mark.parametrize("member", [m for m in MEMBERS if m.has_law], ids=lambda m: m.name)


def noise(*seeds: int) -> Noise:
    return Noise(torch.tensor(seeds))


def law_of(member: Dataset) -> Law:
    law = member.source().law
    assert law is not None
    return law


def test_every_dataset_is_under_the_contract() -> None:
    check_every_name_is_listed(DATASETS, MEMBERS)


def test_datasets_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.datasets")


@every
def test_a_dataset_is_a_member(member: Dataset) -> None:
    check_member(DATASETS, member)


@every
def test_shape_and_classes_are_those_of_the_source(member: Dataset) -> None:
    source = member.source()
    assert source.shape == member.shape
    assert source.classes == member.classes
    assert (source.law is not None) == member.has_law
    x, y = source.draw(noise(0, 1, 2), Stream.REAL, 0, 5)
    assert x.shape == (3, 5, *member.shape)
    assert x.dtype == torch.float32
    assert torch.isfinite(x).all()
    assert (y is not None) == (member.classes is not None)
    if y is not None:
        assert y.shape == (3, 5)
        assert 0 <= int(y.min()) <= int(y.max()) < (member.classes or 0)


@every
def test_images_lie_in_their_span_on_their_levels(member: Dataset) -> None:
    source = member.source()
    if source.span is None:
        assert source.quantum is None
        return
    x = source.draw(noise(0), Stream.REAL, 0, 50).x
    assert source.span[0] <= float(x.min()) < float(x.max()) <= source.span[1]
    assert source.quantum is not None
    levels = (x - source.span[0]) / source.quantum
    assert (
        float((levels - levels.round()).abs().max()) < 0.05
    )  # bytes hold the 17 levels of digits up to rounding
    assert math.isclose((source.span[1] - source.span[0]) / source.quantum % 1, 0.0, abs_tol=1e-9)
    assert source.classes_names is None or len(source.classes_names) == source.classes


@every
def test_labels_alone_are_those_of_the_draw(member: Dataset) -> None:
    source = member.source()
    for stream in (Stream.LABELS, Stream.UNSEEN):
        _, y = source.draw(noise(2, 3), stream, 1, 20)
        alone = source.labels(noise(2, 3), stream, 1, 20)
        assert (alone is None) == (y is None)
        assert y is None or torch.equal(alone, y)  # type: ignore[arg-type]


@every
def test_a_draw_is_a_function_of_seed_stream_and_step(member: Dataset) -> None:
    source = member.source()
    first = source.draw(noise(7), Stream.REAL, 3, 40).x
    torch.testing.assert_close(source.draw(noise(7), Stream.REAL, 3, 40).x, first, rtol=0, atol=0)
    again = member.source().to("cpu").draw(noise(7), Stream.REAL, torch.tensor(3), 40).x
    torch.testing.assert_close(again, first, rtol=0, atol=0)
    for other in (
        source.draw(noise(8), Stream.REAL, 3, 40),
        source.draw(noise(7), Stream.REAL, 4, 40),
        source.draw(noise(7), Stream.LIKELIHOOD, 3, 40),
    ):
        assert not torch.equal(other.x, first)


@every
def test_a_draw_does_not_depend_on_the_other_trials(member: Dataset) -> None:
    source = member.source()
    together = source.draw(noise(4, 9, 2), Stream.REAL, 5, 30).x
    for row, seed in enumerate((4, 9, 2)):
        alone = source.draw(noise(seed), Stream.REAL, 5, 30).x[0]
        torch.testing.assert_close(together[row], alone, rtol=0, atol=0)


@every
def test_the_reference_is_distinct_the_same_and_unseen(member: Dataset) -> None:
    source = member.source()
    reference = source.reference(200).x
    assert reference.shape == (200, *member.shape)
    torch.testing.assert_close(member.source().reference(200).x, reference, rtol=0, atol=0)
    rows = {row.numpy().tobytes() for row in reference}
    assert len(rows) == 200
    shared = 0
    for step in range(20):
        for stream in (Stream.REAL, Stream.LIKELIHOOD):
            seen = source.draw(noise(0, 1), stream, step, 100).x.flatten(0, 1)
            shared += len(rows & {row.numpy().tobytes() for row in seen})
    assert shared <= 4  # of 8000: float32 has few enough values on a line for chance repeats


@lawful
def test_the_density_integrates_to_one(member: Dataset) -> None:
    law = law_of(member)
    samples = law.draw(noise(0), Stream.REAL, 0, 20_000)[0]
    low, high = float(samples.min()) - 1.0, float(samples.max()) + 1.0
    line = torch.linspace(low, high, 241 if len(law.shape) and law.shape[0] > 1 else 4001).double()
    x = torch.cartesian_prod(*[line] * law.shape[0]).reshape(-1, law.shape[0])
    total = float(torch.cat([law.log_prob(part).exp() for part in x.split(8192)]).sum())
    assert total * float(line[1] - line[0]) ** law.shape[0] == pytest.approx(1.0, abs=1e-4)


@lawful
def test_samples_follow_the_density(member: Dataset) -> None:
    law = law_of(member)
    parts = (law.draw(noise(seed), Stream.REAL, 0, 10_000)[0].flatten(1) for seed in (3, 4, 5))

    def log_p(x: Tensor) -> Tensor:
        return law.log_prob(x.unflatten(1, law.shape))

    found = curve_from_neighbours(log_p, *parts, equiangular_grid(9))
    assert float(found.curve.precision[4]) >= 1 - max(float(found.error[4]), 0.03)
    wider = curve_from_neighbours(
        log_p,
        *(1.1 * law.draw(noise(seed), Stream.REAL, 0, 10_000)[0].flatten(1) for seed in (3, 4)),
        law.draw(noise(5), Stream.REAL, 0, 10_000)[0].flatten(1),
        equiangular_grid(9),
    )
    assert float(wider.curve.precision[4]) < float(found.curve.precision[4])


@lawful
def test_modes_share_the_mass(member: Dataset) -> None:
    law = law_of(member)
    count = 20_000
    x = law.draw(noise(1), Stream.REAL, 0, count)[0]
    modes = law.modes(x)
    if modes is None:
        return
    assert float(modes.weights.double().sum()) == pytest.approx(1.0, abs=1e-6)
    assert modes.nearest.shape == modes.near.shape == (count,)
    shares = torch.bincount(modes.nearest, minlength=len(modes.weights)).double() / count
    weights: Tensor = modes.weights.double()
    assert bool(((shares - weights).abs() <= 5 * (weights * (1 - weights) / count).sqrt() + 0.005).all())
    assert float(modes.near.double().mean()) > 0.95
