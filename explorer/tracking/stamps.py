"""Times that a sweep's driver writes: each later than all that its runs have, by whatever clock they came there.

Whoever looks at a sweep on a server again asks for what began or ended since: a driver whose clock is late would write
what nobody asks for. So it goes on from the newest time that it found.
"""

from __future__ import annotations

__all__ = ["Stamps"]


class Stamps:
    """One sweep's times, in MLflow's milliseconds."""

    def __init__(self) -> None:
        self._newest = 0

    def saw(self, *times: int) -> None:
        """A run of the sweep has these times, by another driver's clock."""
        self._newest = max(self._newest, *times)

    def at(self, moment: int) -> int:
        """That moment, or just after the newest time where it is not later."""
        self._newest = max(moment, self._newest + 1)
        return self._newest
