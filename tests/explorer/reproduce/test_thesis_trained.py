"""Trained models are read from a stored sweep: the middle seed of every λ, and who is outermost where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.api import results
from explorer.errors import UserError
from explorer.reproduce import panels, reproduction
from explorer.reproduce.thesis_trained import trained_curves, trained_samples
from tests.app.made_sweep import configs, made, write_sweep
from tests.explorer.reproduce.built import CORNERS, built, stored_sweep, traces
from tests.stores import empty_store


def test_the_middle_seed_of_every_trade_off_is_drawn():
    curves = traces("thesis-5.8")
    assert list(curves) == ["λ = 0.1", "λ = 1", "λ = 10"]
    for title, trace in curves.items():
        lam = float(title.removeprefix("λ = "))
        precision, recall = CORNERS[lam, 0]  # of two seeds the better one
        assert max(trace.x) == pytest.approx(precision, abs=1e-4)
        assert max(trace.y) == pytest.approx(recall, abs=1e-4)
    dots = [t for t in built("thesis-5.8")[0].figure.data if not t.name]
    assert [t.x[0] / t.y[0] for t in dots] == pytest.approx([0.1, 1.0, 10.0], rel=1e-3)  # each on its own ray


def test_it_is_told_how_often_a_curve_is_outermost_at_its_own_trade_off():
    first, second = built("thesis-5.8")
    (number,) = first.numbers
    assert (number.printed, number.computed) == ("all three", "5 of 6")
    assert "2 of 2 seeds at λ = 0.1, 1 of 2 seeds at λ = 1, 2 of 2 seeds at λ = 10" in second.caption


def test_shares_are_means_over_seeds_with_a_dot_at_their_own_trade_off():
    figure = built("thesis-5.8")[1].figure
    named, dots = [t for t in figure.data if t.name], [t for t in figure.data if not t.name]
    for line, dot in zip(named, dots, strict=True):
        lam = float(line.name.removeprefix("λ = "))
        share = np.mean([min(p, lam * r) for (of, _), (p, r) in CORNERS.items() if of == lam]) / min(1, lam)
        assert (dot.x[0], dot.y[0]) == pytest.approx((lam, share), abs=2e-3)
        assert np.interp(np.log(lam), np.log(line.x), line.y) == pytest.approx(share, abs=5e-3)


def test_samples_stand_over_the_data():
    (panel,) = built("thesis-5.7")
    titles = [note.text for note in panel.figure.layout.annotations]
    assert [title.split(":")[0] for title in titles] == ["λ = 0.1", "λ = 1", "λ = 10"]
    assert "95% of the best" in titles[0]
    assert [(t.name, len(t.x)) for t in panel.figure.data] == [("real", 120), ("model", 120)] * 3
    assert [number.printed for number in panel.numbers] == ["all 8", "1 of 8"]
    assert "sweep 'gaussians-8-small'" in panel.caption


def test_of_other_trade_offs_the_nearest_are_shown(tmp_path):
    uri = empty_store(tmp_path)
    write_sweep(uri, "other", [made(config) for config in configs((0.05, 0.3, 2.0, 30.0), 1)])
    found = results("other", uri)
    names = [t.name for t in trained_curves(found)[0].figure.data if t.name]
    assert names == ["λ = 0.05", "λ = 2", "λ = 30"]


def test_sweeps_without_trade_offs_or_points_are_the_users_to_mend(tmp_path):
    uri = empty_store(tmp_path)
    write_sweep(uri, "one", [made(config) for config in configs((1.0,), 1)])
    pointless = [replace(t, final=replace(t.final, real=None)) for t in map(made, configs((0.1, 10.0), 1))]
    write_sweep(uri, "no-points", pointless)
    with pytest.raises(
        UserError, match=r"several λ, and sweep 'one' has .* for 1; run `tradeoff sweep gaussians-8-small`"
    ):
        trained_samples(results("one", uri))
    with pytest.raises(UserError, match=r"points of the plane, and trial .* kept none"):
        trained_samples(results("no-points", uri))


def test_another_sweep_may_be_named():
    entry = reproduction("thesis-5.7")
    with pytest.raises(UserError, match="no sweep 'elsewhere'"):
        panels(entry, sweep="elsewhere", tracking_uri=stored_sweep("gaussians-8-small"))
