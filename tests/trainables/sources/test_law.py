"""A law with no more than a density has no modes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.law import Law
from trainables.sources.law_source import LawSource


class Square(Law):
    """Uniform on the unit square."""

    shape = (2,)

    def to(self, device: torch.device | str) -> Square:
        return self

    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor:
        return noise.uniform(stream, step, count, 2)

    def log_prob(self, x: Tensor) -> Tensor:
        inside = ((x >= 0) & (x <= 1)).all(dim=-1)
        return torch.where(inside, 0.0, -torch.inf)


def test_modes_may_be_left_out() -> None:
    law = Square()
    assert law.modes(torch.zeros(3, 2)) is None
    source = LawSource(law)
    assert source.reference(7).x.shape == (7, 2)
    assert float(law.log_prob(source.reference(50).x).sum()) == 0.0


def test_a_density_may_not() -> None:
    class Vague(Square):
        log_prob = Law.log_prob  # type: ignore[assignment]

    Vague.__abstractmethods__ = frozenset({"log_prob"})
    with pytest.raises(TypeError, match="abstract"):
        Vague()
