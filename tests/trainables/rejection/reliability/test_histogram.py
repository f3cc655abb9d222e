"""Where points lie."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trainables.rejection.reliability.bins import Pooled
from trainables.rejection.reliability.histogram import COLUMNS, histogram_of

RATIOS = st.lists(st.one_of(st.floats(-1e4, 1e4), st.just(1e4), st.just(0.0)), min_size=1, max_size=60)


@given(RATIOS, RATIOS)
def test_every_point_is_in_a_column(real: list[float], fake: list[float]) -> None:
    found = histogram_of(Pooled.of(np.array(real), np.array(fake)))
    assert (found.real.sum(), found.fake.sum()) == (len(real), len(fake))
    assert len(found.edges) == COLUMNS + 1
    assert (np.diff(found.edges) > 0).all()


def test_a_few_stray_points_do_not_widen_the_columns() -> None:
    values = np.linspace(-1, 1, 5000)
    found = histogram_of(Pooled.of(np.append(values, 1e4), values))
    assert found.edges[-1] < 1.01
    assert found.real[-1] > found.fake[-1]
