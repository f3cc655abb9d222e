"""Who drives a sweep: told in a tag, and known to be dead only where we can see it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from explorer.store.holders import Holder


def test_what_is_written_is_read_back_and_nothing_else_is() -> None:
    me = Holder.here()
    assert Holder.parse(me.text()) == me
    assert Holder.here().id != me.id
    for text in (None, "", "{}", "[1]", "null", '{"id": 1}', "{" * 5000, me.text().replace(":0}", ':"x"}')):
        assert Holder.parse(text) is None


def test_what_others_wrote_cannot_reach_the_terminal() -> None:
    told = Holder.parse(replace(Holder.here(), host="a\x1b[2Jb" + "c" * 500).text())
    assert told is not None
    assert told.words().isprintable()
    assert len(told.words()) < 150


def test_a_living_process_of_this_machine_is_near_and_not_dead() -> None:
    me = Holder.here()
    assert me.is_near
    assert not me.is_dead
    assert me.words().endswith(f"(process {os.getpid()})")


def test_a_process_that_ended_is_dead_also_before_its_parent_asked() -> None:
    child = subprocess.Popen([sys.executable, "-c", "print(1, flush=True)"], stdout=subprocess.PIPE)
    assert child.stdout is not None
    holder = replace(Holder.here(), process=child.pid, born="")
    child.stdout.read()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert holder.is_dead, "a zombie drives nothing"
    child.wait()
    assert holder.is_dead


def test_a_number_that_was_given_again_is_another_process() -> None:
    me = Holder.here()
    if not me.born:
        pytest.skip("this system does not tell when processes began")
    assert replace(me, born=str(int(me.born) - 1)).is_dead


def test_of_another_machines_processes_nothing_is_known() -> None:
    far = replace(Holder.here(), machine="another", process=2**22 + 1)
    assert not far.is_near
    assert not far.is_dead


def test_numbers_that_no_process_has_are_no_fault() -> None:
    assert isinstance(replace(Holder.here(), process=2**70).is_dead, bool)
