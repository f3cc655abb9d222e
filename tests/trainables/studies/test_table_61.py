"""Table 6.1 in small: OBRS is ahead of DRS, that of all others, by more than chance; costs are matched."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from trainables.refinements.drs import Drs
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.obrs import Obrs
from trainables.samplers.trained import Trained
from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
from trainables.studies.refined_sets import SET, SETTLING, Sets, Shared, refined_sets, settled
from trainables.studies.table_61 import DEARER, PRINTED_BUDGET, ROWS, Line, table_61

SETS = 4


@pytest.fixture(scope="module")
def model() -> Trained:
    return gaussians25_gan()


@pytest.fixture(scope="module")
def shared(model: Trained) -> Shared:
    return Shared(model)


@pytest.fixture(scope="module")
def lines(model: Trained, shared: Shared) -> dict[str, Line]:
    found = table_61(model, gaussians25_law(), ROWS, chosen=SETS, moved=2, timed=1, shared=shared)
    return {line.row.title: line for line in found}


def test_obrs_is_ahead_of_drs_and_drs_of_all_others_by_more_than_chance(shared: Shared) -> None:
    """Sets of all three have the same draws, so that differences are taken set by set."""
    law = gaussians25_law()

    def sets(method: Obrs | Drs | MetropolisHastings, budget: float) -> Sets:
        return refined_sets(shared, law, method, budget, settled(shared, method, budget), SETS)

    order = [
        sets(Obrs(), PRINTED_BUDGET),
        sets(Drs(), PRINTED_BUDGET),
        sets(MetropolisHastings(), PRINTED_BUDGET),
    ]
    order.append(sets(Obrs(), 1.0))
    for better, worse in pairwise(order):
        lead = better.precision - worse.precision
        assert float(lead.mean()) > 4 * float(lead.std()) / SETS**0.5
        assert float(lead.mean()) > 0.02
    assert all((one.recall == 1).all() for one in order)


def test_no_row_at_the_cost_of_the_table_is_more_precise_than_obrs(lines: dict[str, Line]) -> None:
    best = lines["OBRS"].precision
    for title, line in lines.items():
        if title != "OBRS":
            assert best.mean - line.precision.mean > 3 * (best.error**2 + line.precision.error**2) ** 0.5, (
                title
            )


def test_one_draw_in_k_is_kept(lines: dict[str, Line]) -> None:
    """Within three standard errors: of the constant, found on other draws, and of the sets."""
    share = 1 / PRINTED_BUDGET
    for title in ("OBRS", "DRS", "MH-GAN"):
        line = lines[title]
        one = (share * (1 - share)) ** 0.5
        error = one * (1 / SETTLING + 1 / (SETS * line.draws.mean)) ** 0.5
        assert abs(line.acceptance - share) < 3 * error, title
        assert line.draws.mean == line.scores.mean == pytest.approx(SET / line.acceptance)


def test_all_cost_about_what_obrs_does_or_less(lines: dict[str, Line]) -> None:
    for line in lines.values():
        assert line.calls < 2.05 * PRINTED_BUDGET
        assert line.seconds > 0
    assert lines["DOT"].calls == pytest.approx(5.0)
    assert lines["DGflow"].calls == pytest.approx(4.0)
    assert [row.method.cost(row.budget).scores for row in DEARER[:2]] == [3.0, 3.0]  # type: ignore[attr-defined]
    assert lines["baseline"].scores.mean == 0
    assert torch.tensor([line.sets for line in lines.values()]).tolist() == [SETS] * 5 + [2] * 4
