"""Packs go to whoever comes first, results to the driver; whoever waits is woken, or told to come again."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from explorer.launch.engine.exchange import Exchange
from explorer.launch.engine.messages import Failed, Put, Taken, Told, Verdict


def run(work: Coroutine[Any, Any, None]) -> None:
    """In a thread: a browser that another test of this process left open has a loop in the main one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def test_packs_are_taken_in_order_and_reported() -> None:
    async def scene() -> None:
        exchange = Exchange()
        waiting = asyncio.ensure_future(exchange.next("a", 10.0))
        await asyncio.sleep(0)
        await exchange.put(Put("p", {}))
        await exchange.put(Put("q", {}))
        assert await waiting == Put("p", {})
        assert await exchange.next("b", 10.0) == Put("q", {})
        assert await exchange.begin("a", "p")
        assert await exchange.begin("b", "q")
        assert await exchange.tell("p", {"done": True}) is False
        await exchange.fail("q", "OSError: full")
        told = [Taken("p", "a"), Taken("q", "b"), Told("p", {"done": True}), Failed("q", "OSError: full")]
        assert await exchange.take(0.0) == told
        assert await exchange.take(0.01) == []

    run(scene())


def test_what_a_dead_lane_was_offered_goes_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.launch.engine.exchange.TO_BEGIN", 0.05)

    async def scene() -> None:
        exchange = Exchange()
        await exchange.put(Put("p", {}))
        assert await exchange.next("dead", 10.0) == Put("p", {})
        assert await exchange.next("alive", 10.0) == Put("p", {}), "it was not taken up in time"
        assert await exchange.begin("alive", "p")
        assert not await exchange.begin("dead", "p")
        assert await exchange.take(0.0) == [Taken("p", "alive")]

    run(scene())


def test_who_tells_the_last_of_a_pack_is_offered_the_next() -> None:
    async def scene() -> None:
        exchange = Exchange()
        for pack in "pq":
            await exchange.put(Put(pack, {}))
        assert await exchange.next("a", 10.0) == Put("p", {})
        assert await exchange.begin("a", "p")
        assert await exchange.tell_last("a", "p", {"done": True}) == Put("q", {})
        assert await exchange.take(0.0) == [Taken("p", "a"), Told("p", {"done": True})], "not taken up yet"
        assert await exchange.begin("a", "q")
        assert await exchange.tell_last("a", "q", {"done": True}) is True, "to come again, at once"
        await exchange.put(Put("r", {}))
        await exchange.put(Put("t", {}))
        assert await exchange.next("a", 10.0) == Put("r", {})
        await exchange.stop()
        assert not await exchange.begin("a", "r"), "nobody waits for it any more"
        assert await exchange.tell_last("a", "s", {"done": True}) is False

    run(scene())


def test_without_a_pack_a_lane_comes_again_until_all_is_over() -> None:
    async def scene() -> None:
        exchange = Exchange()
        assert await exchange.next("a", 0.01) is True
        waiting = asyncio.ensure_future(exchange.next("a", 10.0))
        await asyncio.sleep(0)
        await exchange.stop()
        assert await waiting is False

    run(scene())


def test_whoever_is_to_stop_takes_nothing_on() -> None:
    async def scene() -> None:
        exchange = Exchange()
        await exchange.put(Put("p", {}))
        await exchange.stop()
        assert await exchange.next("a", 10.0) is False
        assert await exchange.tell("q", {}) is True
        assert await exchange.verdict("q", 10.0) is False

    run(scene())


def test_a_verdict_waits_for_its_pack() -> None:
    async def scene() -> None:
        exchange = Exchange()
        assert await exchange.verdict("p", 0.01) is True
        await exchange.decide("p", Verdict({"t": (8, True)}, {}))
        assert await exchange.verdict("q", 0.01) is True
        assert await exchange.verdict("p", 10.0) == Verdict({"t": (8, True)}, {})

    run(scene())
