"""The ensemble of linear classifiers: the right direction, balanced classes, whatever the unit and the offset."""

from __future__ import annotations

import pytest
import torch

from trainables.measures.linear import LinearEnsemble


def _two(n: int, m: int, shift: torch.Tensor, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """n samples of N(shift, I) labelled 1 and m of N(0, I) labelled 0: the log ratio is shift·x - ‖shift‖²/2."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n + m, len(shift), generator=generator, dtype=torch.float64)
    x[:n] += shift
    return x, torch.cat([torch.ones(n), torch.zeros(m)])


SHIFT = torch.tensor([1.0, -0.5, 0.0], dtype=torch.float64)


def test_the_mean_logit_follows_the_log_ratio() -> None:
    x, labels = _two(3000, 3000, SHIFT)
    found = LinearEnsemble.fit(x, labels)
    direction = (found.weight / found.standard.scale).double()
    cosine = direction @ SHIFT / (direction.norm() * SHIFT.norm())
    assert float(cosine) > 0.99
    scores = found.scores(x).double()
    truth = x @ SHIFT - SHIFT.square().sum() / 2
    assert float(torch.corrcoef(torch.stack([scores, truth]))[0, 1]) > 0.99
    assert abs(float(scores[truth.abs() < 0.05].mean())) < 0.1  # no logit where the laws are equally likely


def test_both_classes_weigh_the_same_whatever_their_numbers() -> None:
    x, labels = _two(60, 3000, torch.zeros(3, dtype=torch.float64))
    assert (
        abs(float(LinearEnsemble.fit(x, labels).scores(x).mean())) < 0.3
    )  # the odds of the labels are log 50


def test_exchanging_the_labels_turns_the_sign() -> None:
    x, labels = _two(400, 300, SHIFT)
    forward, backward = (LinearEnsemble.fit(x, y).scores(x) for y in (labels, 1 - labels))
    torch.testing.assert_close(backward, -forward, rtol=1e-2, atol=1e-2)


def test_a_constant_column_says_nothing() -> None:
    x, labels = _two(300, 300, SHIFT)
    padded = torch.cat([x, torch.full((600, 1), 7.0, dtype=torch.float64)], dim=1)
    plain, wide = LinearEnsemble.fit(x, labels), LinearEnsemble.fit(padded, labels)
    assert float(wide.weight[3]) == 0.0
    torch.testing.assert_close(wide.scores(padded), plain.scores(x), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("unit", "offset"), [(1e150, 0.0), (1e-150, 0.0), (3.0, 1e6)])
def test_unit_and_offset_do_not_matter(unit: float, offset: float) -> None:
    x, labels = _two(300, 300, SHIFT)
    plain = LinearEnsemble.fit(x, labels).scores(x)
    moved = x * unit + offset
    torch.testing.assert_close(LinearEnsemble.fit(moved, labels).scores(moved), plain, rtol=1e-2, atol=1e-2)


def test_a_seed_repeats_the_members_and_another_draws_new_ones() -> None:
    x, labels = _two(200, 200, SHIFT)
    first, again, other = (LinearEnsemble.fit(x, labels, seed=s).scores(x) for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_progress_rises_and_changes_nothing() -> None:
    x, labels = _two(200, 200, SHIFT)
    heard: list[float] = []
    told = LinearEnsemble.fit(x, labels, progress=heard.append).scores(x)
    assert torch.equal(told, LinearEnsemble.fit(x, labels).scores(x))
    assert heard[0] == 0
    assert heard == sorted(heard)
    assert heard[-1] < 1
