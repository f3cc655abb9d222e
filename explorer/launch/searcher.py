"""Our search as a Ray Tune searcher: what Tune calls a trial is a pack of ours."""

from __future__ import annotations

from typing import Any

from ray.tune.search import Searcher

from explorer.launch.ledger import Ledger
from explorer.launch.packing import Orders

__all__ = ["PackSearcher"]


class PackSearcher(Searcher):
    """Hands out packs; the ledger hears of results through the bridge, not through Tune's metrics."""

    def __init__(
        self,
        ledger: Ledger,
        orders: Orders,
        points: int,
        limit: int,
        settings: dict[str, Any],
        base_limit: int | None = None,
    ) -> None:
        """Ask for ``points`` at a time, pack at most ``limit`` trials; ``settings`` go into every pack's config.

        ``base_limit``: at most so many bases, if not as many as trials.
        """
        super().__init__(metric=None, mode=None)
        self._ledger = ledger
        self._orders = orders
        self._points = points
        self._limit = limit
        self._settings = settings
        self._base_limit = base_limit

    def __getstate__(self) -> dict[str, Any]:
        """Tune pickles its parts for ``Tuner.restore``, on which resume does not rest: there is nothing to keep."""
        return {}

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:  # type: ignore[override]
        """The next pack; None while all that wait are held back for their bases, FINISHED at the end.

        After None Tune goes on with what runs, and asks again.
        """
        pack = self._ledger.next_pack()
        while pack is None and not self._ledger.holding and not self._ledger.exhausted:
            self._ledger.refill(self._points, self._limit, self._base_limit)
            pack = self._ledger.next_pack()
        if pack is None:
            return None if self._ledger.holding else str(Searcher.FINISHED)
        return {"pack": pack.to_json(self._orders), **self._settings}

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Nothing: see the class."""

    def save(self, checkpoint_path: str) -> None:
        """Nothing to save: the study and the tracking store hold all."""

    def restore(self, checkpoint_path: str) -> None:
        """Nothing to restore."""
