"""Where lanes fetch packs and leave results: an actor beside the driver.

Through Ray Tune itself a pack would cost a tenth of a second, and a result a twentieth; here either is a call.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from explorer.launch.engine.keeper import Keeper
from explorer.launch.engine.messages import Event, Failed, Put, Taken, Told, Verdict

__all__ = ["NAME", "Exchange"]

NAME = "tradeoff-exchange"
TO_BEGIN = 10.0
"""Seconds in which a lane takes up what it was offered."""


class Exchange:
    """An asynchronous actor: whoever has to wait in here holds up nobody else."""

    def __init__(self, folder: str | None = None) -> None:
        """``folder``: the driver's, which it keeps for nodes that do not see it."""
        self._keeper = None if folder is None else Keeper(folder)
        self._orders: deque[Put] = deque()
        self._offered: dict[str, Put] = {}
        self._back: asyncio.Future[None] | None = None
        self._events: list[Event] = []
        self._verdicts: dict[str, Verdict] = {}
        self._stopping = False
        self._changed = asyncio.Condition()

    async def put(self, order: Put) -> None:
        """A pack for whichever lane comes first."""
        await self._change(lambda: self._orders.append(order))

    async def decide(self, pack: str, verdict: Verdict) -> None:
        """What becomes of the trials of a pack that wait at a rung."""
        await self._change(lambda: self._verdicts.__setitem__(pack, verdict))

    async def stop(self) -> None:
        """Lanes save what they have and end; packs that wait stay where they are."""
        await self._change(lambda: self.__dict__.update(_stopping=True))

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
        """The next pack, to be taken up by ``begin``; where there is none for so long, whether to come again."""
        await self._wait(lambda: self._orders or self._stopping, patience)
        if self._stopping or not self._orders:
            return not self._stopping
        order = self._orders.popleft()
        self._offered[order.pack] = order
        asyncio.get_running_loop().call_later(TO_BEGIN, self._take_back, order.pack)
        return order

    def _take_back(self, pack: str) -> None:
        """A lane that died while it waited for a pack may be offered one all the same: others get it then."""
        order = self._offered.pop(pack, None)
        if order is not None:
            self._back = asyncio.ensure_future(self._change(lambda: self._orders.appendleft(order)))

    async def begin(self, lane: str, pack: str) -> bool:
        """A lane takes up the pack that it was offered; whether it still may."""
        if self._offered.pop(pack, None) is None or self._stopping:
            return False
        await self._report(Taken(pack, lane))
        return True

    async def tell(self, pack: str, result: dict[str, Any]) -> bool:
        """Results of a stride → whether the pack should be saved and ended."""
        await self._report(Told(pack, result))
        return self._stopping

    async def tell_last(self, lane: str, pack: str, result: dict[str, Any]) -> Put | bool:
        """The last results of a pack → what ``next`` would give this moment: between two packs there is one call."""
        await self._report(Told(pack, result))
        return await self.next(lane, 0.0)

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

    async def files(self, what: str, *given: Any) -> Any:
        """An operation on the driver's files, in a thread: a disk may take its time."""
        assert self._keeper is not None  # else there is no folder to ask for
        return await asyncio.to_thread(self._keeper.do, what, *given)

    async def take(self, patience: float) -> list[Event]:
        """What happened since the last call, or nothing after so many seconds."""
        await self._wait(lambda: self._events, patience)
        events, self._events = self._events, []
        return events
