"""Writes single runs. Every call may be repeated after a crash at any point: what is stored is not stored again."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.runs import Remembered
from explorer.store.schema import Status
from explorer.tracking.entries import Data, Log, Note, Start, Summary, now

__all__ = ["Content", "RunWriter"]

BATCH = 1000
"""Most metrics in one request to MLflow."""

Content = bytes | str | Path
"""What an artifact holds, or the file that holds it."""

Work = Callable[[], object]

log = logging.getLogger(__name__)


@dataclass
class _Batch:
    """What goes in one request, and the run as it is after that."""

    after: Remembered
    metrics: list[Any] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)


class RunWriter:
    """Parameters, metrics, tags, artifacts and the status of one run after the other.

    Args:
        store: where they are.
        write: does a piece of work that writes, repeated while the store is away.
    """

    def __init__(self, store: Connection, write: Callable[[Work], object]) -> None:
        self._store = store
        self._write = write

    def start(self, run: Remembered, start: Start) -> None:
        """The run is open, and says what it is: parameters that it lacks, its name, its tags and its data."""
        if not (start.only_read and run.status == "finished"):
            self.reopen(run)
        self._describe(run, start, {**_called(run, start.name), **start.tags, **self._use(run, start.data)})

    def call(self, run: Remembered, name: str) -> None:
        """It has that name, unless somebody gave it another than ours."""
        self.tag(run, _called(run, name))

    def _use(self, run: Remembered, data: Data | None) -> dict[str, str]:
        """It trains on that; the tags that say so are left to the caller."""
        if data is None or run.tags.get(schema.DATA) == data.digest:
            return {}
        self._input(run, data)
        return {schema.DATA: data.digest}

    def _describe(self, run: Remembered, start: Start, told: Mapping[str, str]) -> None:
        from mlflow.entities import Param, RunTag

        lacking = {path: schema.encode(v) for path, v in start.params.items() if path not in run.params}
        fresh = _fresh(run, told)
        if not lacking and not fresh:
            return
        params = [Param(path, value) for path, value in lacking.items()]
        tags = [RunTag(key, value) for key, value in fresh.items()]
        self._write(lambda: self._store.client.log_batch(run.run_id, params=params, tags=tags))
        run.params |= set(lacking)
        run.tags |= fresh

    def _input(self, run: Remembered, data: Data) -> None:
        """What it trains on, in MLflow's own words; the tag comes later, so that a crash in between is made good."""
        from mlflow.entities import Dataset, DatasetInput, InputTag

        found = Dataset(data.name, data.digest[:36], "code", data.source)
        used = DatasetInput(found, [InputTag("mlflow.data.context", "training")])
        self._write(lambda: self._store.client.log_inputs(run.run_id, [used]))

    def note(self, run: Remembered, note: Note) -> None:
        """Tags that it is to have, which go with the next ``log``, and its data."""
        self._lay(run, {**note.tags, **self._use(run, note.data)})

    def tag(self, run: Remembered, tags: Mapping[str, str]) -> None:
        """Tags that it is to have now; ``THIS_RUN`` in them becomes its id."""
        self._lay(run, tags)
        self._flush(run)

    def _flush(self, run: Remembered) -> None:
        self._send(run, _Batch(run))

    def _lay(self, run: Remembered, tags: Mapping[str, str]) -> None:
        """Keep tags for the next request; those that it has already are not told again."""
        fresh = _fresh(run, tags)
        run.laid = {key: value for key, value in run.laid.items() if key not in tags} | fresh

    def log(self, trial: str, run: Remembered, evaluations: Sequence[tuple[int, Log]] = ()) -> None:
        """Evaluations, each with its moment, in the order in which they were made: as few requests as MLflow takes.

        Tags that were laid go along.

        A step not beyond the last one stored is skipped: a resumed trial repeats its last evaluation. A trial read
        again has new marks at its last step: then what changed is stored, and what was read in another way and is
        asked for no more is blanked. A value that is not finite is stored as NaN, so that no older value stands in for
        it, and is told once.
        """
        batch = _Batch(_copy(run))
        for at, one in evaluations:
            self._plan(trial, run, batch, at, one)
        self._send(run, batch)

    def _plan(self, trial: str, run: Remembered, batch: _Batch, at: int, one: Log) -> None:
        """Lay an evaluation on the batch; what lies there is sent before, if there is no room for both."""
        from mlflow.entities import Metric

        now = batch.after
        again = now.last_step is not None and one.step <= now.last_step
        if not one.metrics or (again and (one.marks is None or one.marks == now.marks)):
            return
        _tell_spoilt(trial, run, one)
        told = {key: float(v) if math.isfinite(v) else math.nan for key, v in one.metrics.items()}
        step = one.step
        if again:
            step = now.last_step or 0
            told = {key: v for key, v in told.items() if v != now.metrics.get(key)}
        kept, stale = now.merged(one.marks or {})
        told |= dict.fromkeys(stale - set(one.metrics), math.nan)
        if batch.metrics and len(batch.metrics) + len(told) > BATCH:
            self._send(run, batch)
        batch.metrics += [Metric(key, value, at, step) for key, value in told.items()]
        batch.after.last_step = step
        batch.after.metrics |= told
        if one.marks is not None:
            batch.tags[schema.READINGS] = schema.encode_readings(kept)
            batch.after.marks = kept
        if one.alphas is not None:
            batch.tags[schema.ALPHAS] = one.alphas

    def _send(self, run: Remembered, batch: _Batch) -> None:
        """Send what lies on the batch, and tags that were laid; the run is then remembered as it is after that."""
        from mlflow.entities import RunTag

        told = {**run.laid, **batch.tags}
        metrics, tags = batch.metrics, [RunTag(key, value) for key, value in told.items()]
        if not metrics and not tags:
            return
        for start in range(0, max(len(metrics), 1), BATCH):
            # The marks go with the last part: a crash before it leaves a run that is read once more.
            part, last = metrics[start : start + BATCH], start + BATCH >= len(metrics)
            self._write(
                lambda part=part, last=last: self._store.client.log_batch(  # type: ignore[misc]
                    run.run_id, metrics=part, tags=tags if last else []
                )
            )
        run.last_step, run.marks = batch.after.last_step, dict(batch.after.marks)
        run.metrics = dict(batch.after.metrics)
        run.tags |= told
        run.laid, batch.metrics, batch.tags = {}, [], {}

    def upload(self, run: Remembered, files: Mapping[str, Content], digests: Mapping[str, str]) -> None:
        """Artifacts under relative names, in place of those of the same name; what it has already is not sent again.

        ``digests`` of their contents by name, which a tag tells that is laid; a file without one is sent in any case.
        To a folder all go at once, to other places one by one: where one fails, those before it are not sent again.
        """
        for name in files:
            path = PurePosixPath(name)
            if (
                path.is_absolute()
                or not path.parts
                or ".." in path.parts
                or "\\" in name
                or str(path) != name
            ):
                raise ValueError(f"an artifact's name must be a relative path, got '{name}'")
        short = {name: digest[:12] for name, digest in digests.items()}
        fresh = {
            name: content for name, content in files.items() if run.files.get(name, "") != short.get(name)
        }
        parts = [fresh] if _is_folder(run.artifact_uri) else [{name: one} for name, one in fresh.items()]
        for part in filter(None, parts):
            self._write(lambda part=part: self._put(run.artifact_uri, part))  # type: ignore[misc]
            run.files |= {name: short[name] for name in part if name in short}
        if fresh and _is_proxied(run.artifact_uri):
            self._write(lambda: self._check(run, next(reversed(fresh))))
        if short:
            self._lay(run, {schema.FILES: schema.encode_files(run.files)})

    def _check(self, run: Remembered, name: str) -> None:
        """A file that was sent is there: the page on which somebody is to log in takes any, and keeps none."""
        folder = name.rpartition("/")[0] or None
        if name not in {one.path for one in self._store.artifacts(run.artifact_uri).list_artifacts(folder)}:
            run.files.clear()
            raise FileNotFoundError(f"'{name}' was sent and is not there")

    def keep(self, run: Remembered, files: Mapping[str, bytes | str]) -> None:
        """Artifacts of which only the contents are known."""
        contents = {name: one.encode() if isinstance(one, str) else one for name, one in files.items()}
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
        self.upload(run, contents, digests)
        self._flush(run)

    def summarise(self, sweep: str, parent: Remembered, summary: Summary) -> None:
        """What a sweep's own run says of the whole; what it says already is not said again."""
        self.keep(parent, summary.files)
        self.tag(parent, summary.tags)
        if any(parent.metrics.get(key) != value for key, value in summary.metrics.items()):
            # Trials that are read anew change numbers, and not how many of them finished.
            step = max(summary.step, -1 if parent.last_step is None else parent.last_step + 1)
            self.log(sweep, parent, [(now(), Log(step, summary.metrics))])

    def _put(self, artifact_uri: str, files: Mapping[str, Content]) -> None:
        with TemporaryDirectory() as folder:
            for name, content in files.items():
                file = Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                _lay(content, file)
            self._store.artifacts(artifact_uri).log_artifacts(folder)  # type: ignore[no-untyped-call]

    def reopen(self, run: Remembered) -> None:
        """It runs again; how it had ended is forgotten."""
        self.forget_notes(run)
        if run.status != "running":
            self._write(lambda: self._store.client.update_run(run.run_id, status="RUNNING"))
            run.status = "running"

    def forget_notes(self, run: Remembered) -> None:
        """Take away the tags that say how it had ended."""
        for tag in sorted(run.noted):
            self._write(lambda tag=tag: self._forget(run.run_id, tag))  # type: ignore[misc]
            run.tags.pop(tag, None)
        run.noted.clear()

    def _forget(self, run_id: str, tag: str) -> None:
        from mlflow.exceptions import MlflowException

        try:
            self._store.client.delete_tag(run_id, tag)
        except MlflowException as error:
            # Gone already: the answer to an earlier attempt was lost.
            if error.error_code != "RESOURCE_DOES_NOT_EXIST":
                raise

    def end(self, run: Remembered, status: Status, at: int) -> None:
        """It is over since that moment, and has this status."""
        self._write(lambda: self._store.client.set_terminated(run.run_id, status.upper(), at))
        run.status, run.ended = status, at


def _fresh(run: Remembered, tags: Mapping[str, str]) -> dict[str, str]:
    """The tags that it does not have, or has with another value."""
    told = {key: value.replace(schema.THIS_RUN, run.run_id) for key, value in tags.items()}
    return {key: value for key, value in told.items() if run.tags.get(key) != value}


def _called(run: Remembered, name: str) -> dict[str, str]:
    """Tags by which a run has a name; none where it has one that is not ours."""
    ours = {"", name, run.tags.get(schema.TRIAL, ""), run.tags.get(schema.NAMED, "")}
    if not name or run.tags.get(schema.RUN_NAME, "") not in ours:
        return {}
    return {schema.RUN_NAME: name, schema.NAMED: name}


def _is_folder(artifact_uri: str) -> bool:
    """Whether artifacts lie in a folder that this process reaches itself."""
    return urlsplit(artifact_uri).scheme in ("", "file")


def _is_proxied(artifact_uri: str) -> bool:
    """Whether artifacts go through a web server, before which others may stand that answer in its place."""
    return urlsplit(artifact_uri).scheme in ("mlflow-artifacts", "http", "https")


def _copy(run: Remembered) -> Remembered:
    return replace(run, metrics=dict(run.metrics), marks=dict(run.marks))


def _lay(content: Content, file: Path) -> None:
    """A file with that content; one that is there already is linked, where the file system can."""
    if isinstance(content, Path):
        try:
            os.link(content, file)
        except OSError:
            shutil.copyfile(content, file)
    else:
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def _tell_spoilt(trial: str, run: Remembered, one: Log) -> None:
    fresh = {key for key, value in one.metrics.items() if not math.isfinite(value)} - run.spoilt
    if fresh:
        run.spoilt |= fresh
        log.warning("trial %s, step %d: not finite: %s", trial, one.step, ", ".join(sorted(fresh)))
