"""Shares of two regions, and the balls that estimate one of them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.explorer.reproduce.built import built, traces


def _area(trace) -> float:
    x, y = np.asarray(trace.x), np.asarray(trace.y)
    return abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def test_the_caption_tells_the_shares_of_the_drawn_regions():
    regions = traces("thesis-3.2")
    common = _area(regions["common part"])
    told = re.search(r"ᾱ = (0\.\d+) .* β̄ = (0\.\d+) ", built("thesis-3.2")[0].caption)
    assert told is not None
    precision, recall = (float(number) for number in told.groups())
    assert common / _area(regions["support of P̂"]) == pytest.approx(precision, abs=5e-3)
    assert common / _area(regions["support of P"]) == pytest.approx(recall, abs=5e-3)


def test_the_common_region_lies_in_both():
    from trainables.studies.supports import MODEL_BLOB, REAL_BLOB

    for trace in built("thesis-3.2")[0].figure.data:
        if trace.name == "common part":
            import torch

            x = torch.tensor(np.column_stack([trace.x, trace.y]))
            slightly_inside = x.mean(0) + 0.999 * (x - x.mean(0))
            assert REAL_BLOB.holds(slightly_inside).all()
            assert MODEL_BLOB.holds(slightly_inside).all()


def _points(name: str) -> np.ndarray:
    trace = traces("thesis-3.3")[name]
    return np.column_stack([trace.x, trace.y])


def test_precision_counts_the_fakes_that_lie_in_a_ball():
    real = _points("samples of P")
    apart = np.linalg.norm(real[:, None] - real[None], axis=-1)
    radii = np.sort(apart, axis=1)[:, 3]

    def held(x):
        return (np.linalg.norm(x[:, None] - real[None], axis=-1) <= radii + 1e-3).any(axis=1)

    inside, outside = _points("P̂, in a ball"), _points("P̂, in none")
    assert len(inside) + len(outside) == len(_points("samples of P̂")) == 60
    assert held(inside).all()
    assert not held(outside).any()
    caption = built("thesis-3.3")[0].caption
    assert f"{len(inside)} of 60" in caption
    assert f"precision {len(inside) / 60:.2f}" in caption


def test_many_samples_come_close_to_the_true_shares():
    told = re.search(
        r"precision (0\.\d+) and recall (0\.\d+) against (0\.\d+) and (0\.\d+)",
        built("thesis-3.3")[0].caption,
    )
    assert told is not None
    *estimate, alpha, beta = (float(number) for number in told.groups())
    assert estimate == pytest.approx([alpha, beta], abs=0.02)


def test_the_balls_are_drawn_in_two_panes():
    shapes = built("thesis-3.3")[0].figure.layout.shapes
    assert [shape.xref for shape in shapes] == ["x2", "x3"]
    assert all(shape.path.count("M") == 60 for shape in shapes)
