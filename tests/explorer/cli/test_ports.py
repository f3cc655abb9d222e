"""Ports: the first free one is taken, and what can never be had is told."""

from __future__ import annotations

import pytest

from explorer.cli import ports
from explorer.cli.ports import TRIES, ClaimedPort, free_port
from explorer.errors import UserError


def test_a_busy_port_is_passed_over(busy: int) -> None:
    found = free_port("127.0.0.1", busy)
    assert busy < found < busy + TRIES


def test_two_commands_that_start_at_once_claim_two_ports(busy: int) -> None:
    """Neither serves yet, so that both ports look free."""
    first = ClaimedPort("127.0.0.1", busy)
    other = ClaimedPort("127.0.0.1", busy)
    assert busy < first.port < other.port
    first.release()
    again = ClaimedPort("127.0.0.1", busy)
    assert again.port == first.port
    again.release()
    other.release()


def test_where_all_are_claimed_it_is_told(busy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "TRIES", 2)
    held = ClaimedPort("127.0.0.1", busy)
    with pytest.raises(UserError, match=f"{busy} to {busy + 1} are all busy"):
        ClaimedPort("127.0.0.1", busy)
    held.release()


def test_what_can_never_be_had_is_told() -> None:
    with pytest.raises(
        UserError, match=r"host must be an address of this machine, got 'no\.such\.host\.invalid'"
    ):
        free_port("no.such.host.invalid", 8501)
    with pytest.raises(UserError, match="a free port is needed"):
        free_port("192.0.2.1", 8501)  # not one of ours, so that no port can be bound


def test_a_port_that_was_asked_for_and_is_taken_is_told(busy: int) -> None:
    with pytest.raises(UserError, match=f"{busy} is taken by another program; choose another with --port"):
        free_port("127.0.0.1", busy, tries=1)
