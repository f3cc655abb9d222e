"""Sends what waits in a spool to the store, from a thread of its own, for as long as the store takes to answer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from explorer.errors import UserError, root_cause
from explorer.store.connection import PATIENCE_S, TrackingUnavailable
from explorer.tracking.entries import Entry, Fail, Files, Finish, Start
from explorer.tracking.lease import LeaseLost
from explorer.tracking.postponed import Postponed
from explorer.tracking.spool import Kept, Spool
from explorer.tracking.tracker import Tracker
from explorer.words import counted

__all__ = ["Drain"]

MOST = 500
"""Entries of one pass."""
LINGER = 0.5
"""Seconds between two passes: what comes meanwhile goes in the same requests."""
QUIET = 5.0
"""Seconds of an outage that nobody needs to hear of."""
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0
"""Seconds after which a store that is away is asked again: twice as long every time, to a limit."""
PROGRESS = 10.0
"""Seconds between two words on what is still to be sent, once somebody waits for the end."""

log = logging.getLogger(__name__)


class Drain:
    """Applies entries in their order, trial by trial, and drops them from the spool once the store has them.

    Killed in between, the next one applies the same entries again, which changes nothing (``Tracker``). A store that is
    away, or does not know the sweep for now, is asked again without end. A file that its place does not take is tried
    again later while the rest goes on, and so is all of a trial at which a store fails that answers otherwise. What the
    store refuses of a trial is told once, and the trial is left out: the next launch reads it again.

    Attributes:
        fault: why it gave up, if it did.
        refused: trials that the store refused, each with the reason.
        seconds: how long it has been at work.
    """

    def __init__(self, tracker: Tracker, spool: Spool, tell: Callable[[str], None]) -> None:
        self._tracker = tracker
        self._spool = spool
        self._tell = tell
        self.fault: Exception | None = None
        self.refused: dict[str, str] = {}
        self._postponed = Postponed(tell)
        self._outage = ""
        self._asks_once = False
        self._news = threading.Event()
        self._deadline: float | None = None
        self._thread: threading.Thread | None = None
        self._since: float | None = None
        self._told_away = False
        self._pause = FIRST_PAUSE
        self.seconds = 0.0

    def start(self) -> None:
        """From here on the tracker is the thread's."""
        self._tracker.wait_no_longer_than(1.0)  # it waits here, where it can be told to end
        self._thread = threading.Thread(target=self._work, name="tracking", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There is something new."""
        self._news.set()

    def finish(self, patience: float) -> None:
        """Send what is left, then end; a store that is away is waited for no longer than so many seconds."""
        assert self._thread is not None
        self._deadline = time.monotonic() + patience
        self._news.set()
        told = time.monotonic()
        while self._thread.is_alive():
            self._thread.join(timeout=0.5)
            if time.monotonic() - told > PROGRESS and self._since is None and (left := len(self._spool)):
                told = time.monotonic()
                self._tell(f"{counted(left, 'result')} still to be sent to the tracking store")
        self._tracker.wait_no_longer_than(PATIENCE_S)

    def leftovers(self) -> None:
        """Send what an earlier process left, here and now; what was overtaken since is dropped.

        Once a file is refused no other is tried: somebody waits. What could not be sent stays (``unsent``).

        Raises:
            TrackingUnavailable: the store is away.
        """
        self._tracker.wait_no_longer_than(1.0)
        self._asks_once = True
        try:
            while kept := self._spool.first(MOST, self._postponed.trials):
                news = list(self._news_of(kept))
                numbers = {one.number for one in news}
                self._spool.drop(one.number for one in kept if one.number not in numbers)
                self._pass(news)
        finally:
            self._tracker.wait_no_longer_than(PATIENCE_S)

    def unsent(self) -> TrackingUnavailable | None:
        """What to say of what is not stored in the end, and why; None where all of it is."""
        waiting = len(self._spool)
        if not waiting:
            return None
        reason = self._postponed.trouble or self._outage
        return TrackingUnavailable(
            f"the tracking store does not take all that was measured{f': {reason}' if reason else ''}; "
            f"{counted(waiting, 'result')} wait in {self._spool.folder}; mend that, then run the same command again, "
            "which stores them and goes on where it stopped"
        )

    def _news_of(self, kept: Sequence[Kept]) -> Iterator[Kept]:
        """What was not overtaken by another launch, of trials whose runs are still there or are to begin."""
        begun: set[str] = set()
        for one in kept:
            trial, at, what = one.entry.trial, one.entry.at, one.entry.what
            begun |= {trial} if isinstance(what, Start) else set()
            begins = trial in begun | self._postponed.held or self._tracker.knows(trial)
            if begins and not self._tracker.is_past(trial, at):
                yield one

    def _work(self) -> None:
        try:
            while self._round():
                pass
        except Exception as error:
            self.fault = error

    def _round(self) -> bool:
        """One pass, and a rest after it; whether there is to be another."""
        self._news.clear()
        self._postponed.take_up()  # also while others tell without a pause
        kept = self._spool.first(MOST, self._postponed.trials)
        began = time.monotonic()
        try:
            self._pass(kept)
        except TrackingUnavailable as error:
            if not error.away:
                raise
            self._away(error)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            return self._rest(self._pause)
        finally:
            self.seconds += time.monotonic() - began
        if kept:
            self._back()
            return self._ending or self._rest(LINGER)
        if self._postponed.trials:
            going = self._rest(1.0)
            if self._ending:
                self._postponed.take_up(0.0)
            return going
        if not self._ending:
            self._news.wait()
            return True
        return False

    @property
    def _ending(self) -> bool:
        return self._deadline is not None

    def _rest(self, seconds: float) -> bool:
        """Wait, but not once the end is asked for and its time is over; whether to go on."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            if self._deadline is not None and now > self._deadline:
                return False
            time.sleep(min(0.1, until - now))
        return True

    def _pass(self, kept: Sequence[Kept]) -> None:
        """Apply entries, those of one trial together.

        Whoever looks at a sweep again asks for what began or ended since (``stamps.py``): trials begin in their order,
        then those go on first that were told of last before the others.
        """
        trials: dict[str, list[Kept]] = {}
        for one in kept:
            trials.setdefault(one.entry.trial, []).append(one)
        for trial, own in trials.items():
            if isinstance(own[0].entry.what, Start):
                self._send(trial, [own.pop(0)])
        for trial, own in sorted(trials.items(), key=lambda pair: pair[1][-1].number if pair[1] else 0):
            if own:
                self._send(trial, own)
        self._tracker.count()

    def _send(self, trial: str, kept: Sequence[Kept]) -> None:
        """Files first, so that what the run says of them goes with the rest."""
        if trial in self.refused:
            self._spool.drop(one.number for one in kept)
            return
        if trial in self._postponed.held:
            self._postponed.add(trial, [one.number for one in kept])
            return
        files = [one for one in kept if isinstance(one.entry.what, Files)]
        rest = [one for one in kept if not isinstance(one.entry.what, Files)]
        stored = files if files and self._upload(trial, files) else []
        numbers = [one.number for one in (*stored, *rest)]
        if numbers and self._apply(trial, rest, numbers):
            self._spool.drop(numbers)

    def _upload(self, trial: str, files: Sequence[Kept]) -> bool:
        """Send files; whether their place took them."""
        numbers = [one.number for one in files]
        if self._postponed.has_files_of(trial) or (
            self._asks_once and self._postponed.has_failed("artifacts")
        ):
            self._postponed.add(trial, numbers)
            return False
        try:
            self._tracker.upload(trial, [one.entry for one in files], self._spool.content)
        except TrackingUnavailable as error:
            # Where artifacts lie is another place than the store, unless both are away at once, or on one disk.
            if self._tracker.is_server_away() or (not error.away and self._tracker.is_file()):
                raise
            self._postponed.failed(trial, numbers, error, "artifacts")
            return False
        except LeaseLost:
            raise
        except Exception as error:
            self._postponed.failed(trial, numbers, error, "artifacts")
            return False
        self._postponed.stored(trial, "artifacts")
        return True

    def _apply(self, trial: str, kept: Sequence[Kept], numbers: Sequence[int]) -> bool:
        """Store all but files; whether the store has it, or has refused it for good."""
        from mlflow.exceptions import MlflowException

        try:
            self._tracker.apply(trial, self._stamped(trial, kept))
        except TrackingUnavailable as error:
            if not error.away or not self._tracker.is_server_up():
                raise
            self._postponed.failed(trial, numbers, error, "results")
            return False
        except LeaseLost:
            raise
        except (MlflowException, UserError) as error:
            if not self._tracker.is_known():  # another store is in its place, or it knows us no more, for now
                raise TrackingUnavailable.of(self._tracker.uri, "refuses us", error) from error
            if isinstance(error, UserError):
                raise
            self.refused[trial] = root_cause(error, 150)
            if len(self.refused) == 1:
                self._tell(f"the tracking store refuses what trial {trial} tells ({self.refused[trial]})")
        self._postponed.stored(trial, "results")
        return True

    def _stamped(self, trial: str, kept: Sequence[Kept]) -> list[Entry]:
        """The entries, those that begin or end the run with the times that it is to have.

        Files that were put off are told with its end, as far as the next launch can see: it takes what is older than a
        run's end for overtaken. That is written down before the run ends.
        """
        told = []
        for one in kept:
            entry = self._tracker.stamped(one.entry)
            if isinstance(entry.what, Finish | Fail):
                late = [number for number, other in self._postponed.trials.items() if other == trial]
                self._spool.date([*late, one.number] if late else [], entry.at)
            told.append(entry)
        return told

    def _away(self, error: TrackingUnavailable) -> None:
        now = time.monotonic()
        self._outage = error.what
        self._since = self._since or now
        if not self._told_away and now - self._since > QUIET:
            self._told_away = True
            self._tell(f"{error.what}; training goes on, and what it finds waits in {self._spool.folder}")

    def _back(self) -> None:
        if self._told_away:
            self._tell("the tracking store answers again")
        self._since, self._told_away, self._pause, self._outage = None, False, FIRST_PAUSE, ""
