"""A source has a shape, batches and a reference; labels, law and span only where there are such."""

from __future__ import annotations

import pytest
import torch

from trainables.randomness import Noise, Stream
from trainables.sources.array_source import ArraySource
from trainables.sources.source import Batch, Request, Source


def test_labels_law_and_span_are_absent_unless_given() -> None:
    source = ArraySource(torch.zeros(10, 2))
    assert (source.classes, source.law, source.span) == (None, None, None)
    assert (source.classes_names, source.quantum, source.streamed) == (None, None, False)
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


def test_any_source_can_be_streamed() -> None:
    source = ArraySource(torch.arange(40.0), labels=torch.arange(40) % 4)
    asked = [Request(Stream.REAL, 3, 5), Request(Stream.UNSEEN, 0, 2)]
    for request, (x, y) in zip(asked, source.stream([7, 8], iter(asked)), strict=True):
        expected = source.draw(Noise(torch.tensor([7, 8])), *request)
        assert torch.equal(x, expected.x)
        assert torch.equal(y, expected.y)  # type: ignore[arg-type]
