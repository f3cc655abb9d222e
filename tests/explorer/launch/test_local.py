"""Trained packs are read again in processes of our own: no Ray, and one that fails does not stop the others."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import torch
from rich.console import Console

from explorer.goals import parse_goals
from explorer.launch.earlier import Earlier
from explorer.launch.inbox import Inbox
from explorer.launch.interrupts import Interrupts
from explorer.launch.ledger import Ledger
from explorer.launch.local import read_packs
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders
from explorer.launch.progress import Progress
from explorer.search.points.source import GridSource
from explorer.store.schema import PLAIN, At
from tests.explorer.launch.packs import order, worked
from tests.explorer.launch.small import configs, small_sweep, stored
from tests.explorer.launch.small import recorder as made_recorder

GOALS = parse_goals({"fid": "min"})

QUIET = Interrupts(lambda: None)
"""Nobody interrupts."""


def test_packs_are_read_again_and_a_damaged_state_is_told(tmp_path: Path) -> None:
    threads = torch.get_num_threads()
    worked(PackWork(order(small_sweep(tmp_path))))
    torch.set_num_threads(threads)
    sweep = small_sweep(tmp_path, refinement={"budgets": [1, 3]})
    first, second = configs(sweep)
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: 8)
    ledger.refill(10, 1)
    packs = ledger.drain()
    assert [t.remaining for pack in packs for t in pack.trials] == [0, 0]
    recorder = made_recorder(sweep)
    settings = {key: value for key, value in order(sweep).items() if key != "pack"}
    (tmp_path / "checkpoints" / second / "8.pt").write_bytes(b"damaged")
    heard = StringIO()
    with Progress(Console(file=heard, width=500), 2, 0, GOALS) as progress:
        read_packs(packs, Orders.of(sweep), settings, 2, Inbox(ledger, recorder, progress), QUIET)
    recorder.close(interrupted=False)
    found = stored(sweep)
    assert set(found[first].readings) == {PLAIN, At("obrs", 3.0)}
    assert found[first].status == "finished"
    assert found[second].reason == (
        "its final state is gone, so that it cannot be read; run again to train it anew"
    )
    assert "8.pt is of no use" in heard.getvalue()
    assert (tmp_path / "checkpoints" / second / "8.pt.aside-1").read_bytes() == b"damaged"
    assert ledger.unsettled() == []


def test_a_pack_whose_process_fails_is_given_up(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: 0)
    ledger.refill(10, 64)
    pack = ledger.next_pack()
    assert pack is not None
    recorder = made_recorder(sweep)
    with Progress(Console(file=StringIO()), 2, 0, GOALS) as progress:
        read_packs([pack], Orders.of(sweep), {"cpus": 1.0}, 2, Inbox(ledger, recorder, progress), QUIET)
    recorder.close(interrupted=False)
    assert {(t.status, t.reason) for t in stored(sweep).values()} == {("failed", "KeyError: 'gpus'")}
