"""Where lanes fetch packs and leave results: an actor beside the driver.

Through Ray Tune itself a pack would cost a tenth of a second, and a result a twentieth; here either is a call.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from explorer.launch.engine.messages import Event, Failed, Put, Taken, Told, Verdict

__all__ = ["NAME", "Exchange"]

NAME = "tradeoff-exchange"


class Exchange:
    """An asynchronous actor: whoever has to wait in here holds up nobody else."""

    def __init__(self) -> None:
        self._orders: deque[Put] = deque()
        self._events: list[Event] = []
        self._verdicts: dict[str, Verdict] = {}
        self._stopping = self._closing = False
        self._changed = asyncio.Condition()

    async def put(self, order: Put) -> None:
        """A pack for whichever lane comes first."""
        await self._change(lambda: self._orders.append(order))

    async def decide(self, pack: str, verdict: Verdict) -> None:
        """What becomes of the trials of a pack that wait at a rung."""
        await self._change(lambda: self._verdicts.__setitem__(pack, verdict))

    async def withdraw(self) -> None:
        """Packs that wait are not worked on."""
        await self._change(self._orders.clear)

    async def stop(self) -> None:
        """Lanes save what they have and end; packs that wait stay where they are."""
        await self._change(lambda: self.__dict__.update(_stopping=True))

    async def close(self) -> None:
        """Lanes end when no pack waits any more."""
        await self._change(lambda: self.__dict__.update(_closing=True))

    async def _change(self, change: Any) -> None:
        async with self._changed:
            change()
            self._changed.notify_all()

    async def _wait(self, until: Any, patience: float) -> None:
        async with self._changed:
            try:
                await asyncio.wait_for(self._changed.wait_for(until), patience)
            except TimeoutError:
                return

    async def next(self, lane: str, patience: float) -> Put | bool:
        """The next pack; where there is none for so long, whether the lane should come again."""
        await self._wait(lambda: self._orders or self._stopping or self._closing, patience)
        if self._stopping or not self._orders:
            return not (self._stopping or self._closing)
        order = self._orders.popleft()
        await self._report(Taken(order.pack, lane))
        return order

    async def tell(self, pack: str, result: dict[str, Any]) -> bool:
        """Results of a stride → whether the pack should be saved and ended."""
        await self._report(Told(pack, result))
        return self._stopping

    async def fail(self, pack: str, reason: str) -> None:
        """A pack ended with an error that another process may not meet."""
        await self._report(Failed(pack, reason))

    async def verdict(self, pack: str, patience: float) -> Verdict | bool:
        """What was decided of a pack; where nothing was for so long, whether to ask again."""
        await self._wait(lambda: pack in self._verdicts or self._stopping, patience)
        if pack in self._verdicts:
            return self._verdicts.pop(pack)
        return not self._stopping

    async def _report(self, event: Event) -> None:
        await self._change(lambda: self._events.append(event))

    async def take(self, patience: float) -> list[Event]:
        """What happened since the last call, or nothing after so many seconds."""
        await self._wait(lambda: self._events, patience)
        events, self._events = self._events, []
        return events
