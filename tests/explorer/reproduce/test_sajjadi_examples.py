"""Six pairs of laws: the precisions and recalls the paper prints, on the drawn sets."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.sajjadi_examples import EXAMPLES, RAYS, attainable
from tests.explorer.reproduce.built import built, traces


def test_laws_are_laws_and_are_what_their_letters_say() -> None:
    by_letter = {example.letter: example for example in EXAMPLES}
    for example in EXAMPLES:
        assert example.p.sum() == pytest.approx(1)
        assert example.q.sum() == pytest.approx(1)
    support = {letter: (e.p > 0, e.q > 0) for letter, e in by_letter.items()}
    assert (support["a"][1] < support["a"][0]).any()
    assert (support["b"][0] < support["b"][1]).any()
    np.testing.assert_array_equal(by_letter["c"].p, by_letter["c"].q)
    assert not (support["d"][0] & support["d"][1]).any()
    for letter in "ef":
        np.testing.assert_array_equal(*support[letter])
        assert np.abs(by_letter[letter].p - by_letter[letter].q).max() > 0.1


def test_figure_2_draws_the_laws_of_each_example() -> None:
    bars = [trace for trace in built("sajjadi-2")[0].figure.data if trace.type == "bar"]
    assert len(bars) == 12
    for i, example in enumerate(EXAMPLES):
        np.testing.assert_allclose(bars[2 * i].y, example.p)
        np.testing.assert_allclose(bars[2 * i + 1].y, example.q)


def test_figure_3_has_the_maxima_that_are_printed() -> None:
    """Section 3.2: (a) precision 1 and recall 0.5, (b) the reverse; (c) the whole square; (d) the origin alone."""
    (panel,) = built("sajjadi-3")
    sets = [trace for trace in panel.figure.data if trace.name == "PRD(Q, P)"]
    corners = [(max(trace.x), max(trace.y)) for trace in sets]
    assert corners[:4] == [(1, 0.5), (0.5, 1), (1, 1), (0, 0)]
    for number in panel.numbers:
        assert float(number.computed) == float(number.printed)
    # (e): full precision up to a recall of more than one half, full recall for little precision; (f) the mirror image.
    x, y = (np.asarray(values) for values in (sets[4].x, sets[4].y))
    assert y[x == 1].max() == pytest.approx(0.5 / 0.9, abs=1e-4)
    assert x[y == 1].max() == pytest.approx(0.1 / 0.5, abs=1e-4)
    mirrored = attainable(EXAMPLES[5].p, EXAMPLES[5].q)
    np.testing.assert_allclose(
        mirrored.precision[::-1], attainable(EXAMPLES[4].p, EXAMPLES[4].q).recall, atol=1e-9
    )


def test_figure_4_ends_every_ray_on_the_curve() -> None:
    drawn = traces("sajjadi-4")
    ends = {name: trace for name, trace in drawn.items() if name.endswith(": end")}
    assert len(ends) == RAYS
    p, q = EXAMPLES[4].p, EXAMPLES[4].q
    for name, end in ends.items():
        lam = float(name.removeprefix("λ = ").removesuffix(": end"))
        assert end.x[0] == pytest.approx(np.minimum(lam * p, q).sum(), rel=1e-2)  # the name has three digits
        assert end.x[0] / end.y[0] == pytest.approx(lam, rel=1e-2)
        ray = drawn[name.removesuffix(": end")]
        assert (ray.x[0], ray.y[0]) == (0, 0)
    angles = np.sort([np.arctan(end.x[0] / end.y[0]) for end in ends.values()])
    np.testing.assert_allclose(np.diff(angles), np.pi / 2 / (RAYS + 1), atol=1e-3)
    assert "the sum is 0.60" in built("sajjadi-4")[0].caption
