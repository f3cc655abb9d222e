"""Rejection on the line: the printed shares and γ, OBRS always ahead of DRS, bounds that hold, a stretched curve."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.explorer.reproduce.built import built


def _all(name, title, panel=0):
    return [t for t in built(name)[panel].figure.data if t.name == title]


def _area(trace):
    return np.trapezoid(trace.y, trace.x)


def test_the_green_share_of_the_proposal_is_what_is_printed():
    panel = built("thesis-6.1")[0]
    assert [number.printed for number in panel.numbers] == ["45%", "8%"]
    shares = zip(_all("thesis-6.1", "kept: p/M"), _all("thesis-6.1", "proposal"), panel.numbers, strict=True)
    for kept, proposal, number in shares:
        assert (np.asarray(kept.y) <= np.asarray(proposal.y) + 2e-6).all()
        assert f"{_area(kept):.0%}" == number.printed  # the law beyond the picture is a few thousandths
        assert float(number.computed.rstrip("%")) == pytest.approx(float(number.printed.rstrip("%")), abs=0.5)


def test_gamma_is_what_is_printed():
    panel = built("thesis-6.2")[0]
    assert [number.printed for number in panel.numbers] == ["-1.7", "-3.6"]
    for number in panel.numbers:
        assert f"{float(number.computed):.1f}" == number.printed


def test_discriminator_rejection_accepts_more_than_plain_rejection():
    for drs, plain in zip(
        [t for t in _all("thesis-6.2", "DRS") if max(t.y) > 0.5],
        _all("thesis-6.2", "plain rejection"),
        strict=True,
    ):
        assert (np.asarray(drs.y) >= np.asarray(plain.y) - 2e-6).all()
        assert max(drs.y) <= 1


@pytest.mark.parametrize(("panel", "budget"), [(0, 4.0), (1, 2.0)])
def test_refined_laws_stay_below_the_budget_and_obrs_comes_nearer(panel, budget):
    (target,), (proposal,) = (_all("thesis-6.3", title, panel) for title in ("target P", "proposal"))
    far = {}
    for name in ("DRS", "OBRS"):
        accepted, law = _all("thesis-6.3", name, panel)
        assert max(accepted.y) <= 1
        assert _area(law) == pytest.approx(1.0, abs=0.02)
        assert (np.asarray(law.y) <= budget * np.asarray(proposal.y) + 1e-5).all()
        kept = np.trapezoid(np.asarray(accepted.y) * np.asarray(proposal.y), proposal.x)
        assert kept == pytest.approx(1 / budget, abs=0.005)
        far[name] = np.trapezoid(np.abs(np.asarray(law.y) - np.asarray(target.y)), target.x) / 2
    told = re.search(r"variation ([\d.]+) against ([\d.]+)", built("thesis-6.3")[panel].caption)
    assert told is not None
    assert [float(number) for number in told.groups()] == pytest.approx([far["OBRS"], far["DRS"]], abs=0.003)
    assert far["OBRS"] < far["DRS"]
    assert max(_all("thesis-6.3", "OBRS", panel)[0].y) == 1  # clipped, where DRS only comes near


def test_obrs_is_systematically_below_drs():
    for obrs, drs in zip(_all("thesis-6.4", "OBRS"), _all("thesis-6.4", "DRS"), strict=True):
        low, high, budgets = np.asarray(obrs.y), np.asarray(drs.y), np.asarray(obrs.x)
        assert low[0] == pytest.approx(high[0])
        inside = (budgets > 1) & (budgets < 13)
        assert (low[inside] < high[inside]).all()
        assert low[-1] == pytest.approx(0, abs=1e-5)
        assert (np.diff(low) <= 2e-6).all()


def test_obrs_is_within_its_bounds_and_the_sharper_one_is_lower():
    kinds = ("OBRS", "bound, sharper", "bound, as printed")
    for reached, sharper, printed in zip(*(_all("thesis-6.5", kind) for kind in kinds), strict=True):
        assert (np.asarray(reached.y) <= np.asarray(sharper.y) + 2e-6).all()
        assert (np.asarray(sharper.y) <= np.asarray(printed.y) + 2e-6).all()
        assert reached.y[0] == pytest.approx(sharper.y[0]) == pytest.approx(printed.y[0])
        middle = len(reached.y) // 2
        assert reached.y[middle] < 0.1 * printed.y[middle]  # "not tight"


def test_obrs_is_outermost_and_its_curve_is_the_stretched_one():
    drawn = {t.name: t for t in built("thesis-6.6")[0].figure.data if t.xaxis == "x"}
    angle = {name: np.arctan2(np.asarray(t.x), np.asarray(t.y)) for name, t in drawn.items()}
    radius = {name: np.hypot(np.asarray(t.x), np.asarray(t.y)) for name, t in drawn.items()}
    for other in ("proposal", "DRS, K = 2"):
        at = np.interp(angle["OBRS, K = 2"], angle[other], radius[other])
        assert (radius["OBRS, K = 2"] >= at - 1e-3).all()
    corner = drawn["plain rejection"]
    assert max(np.minimum(corner.x, corner.y)) == pytest.approx(1.0, abs=1e-3)

    right = [t for t in built("thesis-6.6")[0].figure.data if t.xaxis == "x2"]
    stretched = next(t for t in right if t.name == "OBRS, K = 2")
    turn = np.arctan2(np.asarray(stretched.x), np.asarray(stretched.y))
    known = (turn > 0.05) & (turn < 1.5)
    same = np.interp(turn, angle["OBRS, K = 2"], radius["OBRS, K = 2"])
    np.testing.assert_allclose(np.hypot(stretched.x, stretched.y)[known], same[known], atol=5e-3)
    arrows = [t for t in right if t.name is None]
    assert len(arrows) == 4
    for arrow in arrows:
        assert arrow.x[1] == pytest.approx(min(1.0, 2 * arrow.x[0]), abs=1e-4)
        assert arrow.y[0] == arrow.y[1]


def test_the_laws_are_told_once_where_they_come_first():
    for name in ("thesis-6.1", "thesis-6.2", "thesis-6.3"):
        assert "P = 0.38 N(-2.5, 1) + 0.62 N(2.5, 2.1²)" in built(name)[0].caption
        assert "prints no parameters" in built(name)[0].caption
