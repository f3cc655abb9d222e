"""Members that compute alike are computed together and put back in order."""

from __future__ import annotations

import torch

from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.training.groups import Groups

CPU = torch.device("cpu")


def test_results_come_back_in_the_order_of_trials() -> None:
    members = [PR(lam=1), Gan(), PR(lam=2), PR(form="primal"), Gan(warmup=3)]
    groups = Groups(members, CPU)
    assert [group.rows.tolist() for group in groups.groups] == [[0, 2], [1, 4], [3]]
    assert not any(group.whole for group in groups.groups)
    values = torch.arange(10.0).reshape(5, 2)
    torch.testing.assert_close(groups.each(lambda group: group.pick(values)), values)
    torch.testing.assert_close(groups.join([group.rows for group in groups.groups]), torch.arange(5))


def test_rows_become_columns_where_all_are_numbers() -> None:
    group = Groups([PR(lam=1, warmup=4), PR(lam=2.5, likelihood=0.5)], CPU).groups[0]
    assert group.columns["lam"].tolist() == [1.0, 2.5]
    assert group.columns["likelihood"].tolist() == [0.0, 0.5]
    assert "warmup" not in group.columns  # one of them is left open


def test_a_group_that_is_the_whole_pack_picks_nothing_out() -> None:
    group = Groups([PR(lam=1), PR(lam=2)], CPU).groups[0]
    values = torch.zeros(2, 3)
    assert group.whole
    assert group.pick(values) is values
