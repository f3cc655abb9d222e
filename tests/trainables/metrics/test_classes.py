"""Class coverage: which classes are made, how evenly, and how far from the real histogram."""

from __future__ import annotations

from math import log

import pytest
import torch
from torch import Tensor

from trainables.metrics.classes import ClassCoverage
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs


def logits(labels: Tensor, classes: int = 4) -> Tensor:
    return 5 * torch.nn.functional.one_hot(labels, classes).float()


def scores(real: Tensor, fake: Tensor, classes: int = 4) -> dict[str, float]:
    pair = Pair(
        torch.zeros(len(real), 2),
        torch.zeros(len(fake), 2),
        logits=logits(fake, classes),
        real_logits=logits(real, classes),
    )
    return dict(ClassCoverage().measure(pair).values)


def test_half_of_four_equal_classes() -> None:
    real = torch.arange(400) % 4
    found = scores(real, real % 2)
    assert found == pytest.approx({"class_coverage": 0.5, "class_entropy": 0.5, "class_distance": 0.5})
    assert scores(real, real)["class_coverage"] == 1.0
    assert scores(real, real)["class_entropy"] == pytest.approx(1.0)
    assert scores(real, torch.zeros(400).long())["class_entropy"] == 0.0


def test_a_fifth_of_its_real_share_holds_a_class_and_no_less() -> None:
    real = torch.arange(400) % 4  # a quarter each: a class is held from a twentieth on
    for made, held in ((20, 0.75), (21, 1.0)):
        fake = torch.cat((torch.full((made,), 3), torch.arange(400 - made) % 3))
        assert scores(real, fake)["class_coverage"] == held


def test_entropy_is_over_all_classes_that_the_extractor_knows() -> None:
    real = torch.arange(100) % 2
    assert scores(real, real, classes=8)["class_entropy"] == pytest.approx(log(2) / log(8))
    assert scores(real, real, classes=8)["class_coverage"] == 1.0, "only classes of the real samples count"


def test_sets_are_measured_each_with_its_own_logits() -> None:
    real = torch.arange(40) % 4
    sets = [real % 2, real]
    one = Pair(torch.zeros(40, 2), torch.zeros(40, 2), real_logits=logits(real))
    pairs = Pairs(one, torch.zeros(2, 40, 2), torch.zeros(2, 40, 2), torch.stack([logits(y) for y in sets]))
    assert [dict(found.values) for found in ClassCoverage().measure_all(pairs)] == [
        scores(real, y) for y in sets
    ]


def test_without_logits_there_is_a_sentence() -> None:
    found = ClassCoverage().measure(Pair(torch.zeros(4, 2), torch.zeros(4, 2), logits=torch.zeros(4, 3)))
    assert found.left_out == "class coverage needs class logits, which these features do not have"
