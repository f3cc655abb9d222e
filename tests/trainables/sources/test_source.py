"""A source has a shape, batches and a reference; labels, law and span only where there are such."""

from __future__ import annotations

import pytest
import torch

from trainables.sources.array_source import ArraySource
from trainables.sources.source import Batch, Source


def test_labels_law_and_span_are_absent_unless_given() -> None:
    source = ArraySource(torch.zeros(10, 2))
    assert (source.classes, source.law, source.span) == (None, None, None)
    assert source.draw.__doc__
    x, y = Batch(torch.zeros(3, 2))
    assert y is None
    assert x.shape == (3, 2)


def test_a_source_must_move_draw_and_refer() -> None:
    assert Source.__abstractmethods__ == {"to", "draw", "reference"}
    with pytest.raises(TypeError, match="abstract"):
        Source()  # type: ignore[abstract]


def test_a_source_that_only_draws_still_has_labelled_samples() -> None:
    class Drawn(ArraySource):
        labelled = Source.labelled

    x = torch.arange(50.0)[:, None]
    source = Drawn(x, torch.arange(50) % 5)
    found, again = source.labelled(30), source.labelled(30)
    assert found is not None
    assert again is not None
    assert torch.equal(found.x, again.x)
    assert found.x.shape == (30, 1)
    assert found.y is not None
    assert torch.equal(found.x[:, 0].long() % 5, found.y)
    assert not set(found.x[:, 0].tolist()) & set(source.reference(10).x[:, 0].tolist())
    assert Drawn(x).labelled(30) is None
