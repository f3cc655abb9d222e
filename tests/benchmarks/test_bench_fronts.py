"""The comparison of fronts in small: a line for every quantity of every cloud, and both sides find the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.bench_fronts import CLOUDS, main, realistic_cloud
from explorer.pareto.dominance import front_mask


def test_both_sides_find_the_same_on_every_cloud(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--trials", "150", "--seeds", "3", "--repeats", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "150 trials × 3 objectives, 3 seeds, best of 1"
    told = lines[4:]
    parts = ("front", "ranks", "hypervolume", "attainment bands", "attainment", "together")
    assert [line[:28].strip() for line in told] == [f"{cloud}: {part}" for cloud in CLOUDS for part in parts]
    for line in told:
        if ": front " in line or ": ranks " in line:
            assert line.endswith("the same")
        if ": hypervolume " in line:
            assert float(line.rsplit(" ", 1)[1]) < 1e-9
    ends = [line for line in told if ": together " in line]
    assert ends[2].endswith("150 on the front, 1 fronts")
    assert ends[3].endswith("1 on the front, 150 fronts")


def test_the_realistic_cloud_trades_precision_for_recall_with_seeds_side_by_side() -> None:
    points = realistic_cloud(1000, 4)
    assert points.shape == (1000, 3)
    groups = points.reshape(250, 4, 3)
    assert groups.std(axis=1).mean() < points.std(axis=0).mean() / 2
    front = points[front_mask(points)]
    assert 3 < len(front) < 300
    assert np.corrcoef(front[:, 0], front[:, 1])[0, 1] < -0.5
