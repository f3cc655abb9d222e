"""Stores with values that nobody of ours wrote: a good one, copied and mutated by SQL, seeded.

A store is shared with other programs, older versions and other people, so any tag, parameter, metric or artifact of it
may be anything. ``mutate`` draws some of these and says which of them leave the sweep's table readable.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.app.made_sweep import DOCUMENT, MADE, OLD, configs, made, write_sweep
from tests.app.old_layout import write_old_sweep
from tests.hostile_values import (
    BYTES,
    CHILD_TAGS,
    GOALS,
    KEYS,
    NUMBERS,
    PARAMS,
    PARENT_TAGS,
    SHAPES,
    STATEMENTS,
    STEPS,
    TEXTS,
    TIMES,
)
from tests.stores import empty_store

__all__ = ["SWEEPS", "Mutation", "copy_store", "good_store", "mutate"]

SWEEPS = (MADE, OLD)


@dataclass(frozen=True)
class Mutation:
    """What was done; ``spares`` if every sweep must still have its table."""

    words: str
    spares: bool = True


def good_store(folder: Path) -> Path:
    """A store of two sweeps in the folder ``good``: one of today, one of layout 1."""
    uri = empty_store(folder)
    trials = [made(config, points=20) for config in configs((0.1, 1.0, 3.0), 1)]
    write_old_sweep(uri, OLD, "tradeoff-explorer")
    write_sweep(
        uri,
        MADE,
        [*trials, made(configs((7.0,), 1)[0], failing="out of memory", points=20)],
        document=DOCUMENT,
    )
    return folder


def copy_store(good: Path, folder: Path) -> Path:
    """A copy whose runs have artifacts of their own; its database."""
    shutil.rmtree(folder / "artifacts", ignore_errors=True)
    shutil.copytree(good / "artifacts", folder / "artifacts")
    fresh = folder / "mlflow.db.new"
    shutil.copy(good / "mlflow.db", fresh)
    with closing(sqlite3.connect(fresh)) as link, link:
        for table, column in (("runs", "artifact_uri"), ("experiments", "artifact_location")):
            link.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (str(good), str(folder)))
    return fresh.replace(folder / "mlflow.db")


def mutate(file: Path, seed: int) -> list[Mutation]:
    """One to five mutations of a store, the same for the same seed."""
    rng = random.Random(seed)
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("PRAGMA foreign_keys = OFF")
        link.execute("PRAGMA ignore_check_constraints = ON")
        mutant = Mutant(link, rng)
        return [rng.choice(mutant.kinds)() for _ in range(rng.randint(1, 5))]


class Mutant:
    """The mutations there are, of one store."""

    def __init__(self, link: sqlite3.Connection, rng: random.Random) -> None:
        self.link, self.rng = link, rng
        found = link.execute(
            "SELECT run_uuid FROM tags WHERE key = 'tradeoff.kind' AND value = ? ORDER BY run_uuid",
            ("sweep",),
        )
        self.parents = [run for (run,) in found]
        found = link.execute("SELECT run_uuid FROM tags WHERE key = 'tradeoff.trial' ORDER BY run_uuid")
        self.children = [run for (run,) in found]
        self.kinds: Sequence[Callable[[], Mutation]] = (
            self.objectives, self.parent_tag, self.child_tag, self.param, self.param, self.metric_key, self.metric_key,
            self.metric_value, self.artifact, self.artifact, self.artifact, self.identity, self.orphan, self.stranger,
            self.times, self.beyond_mlflow, self.sweep_name, self.artifact_place, self.everywhere,
        )  # fmt: skip

    def _tag(self, run: str, key: str, value: str | None) -> Mutation:
        self.link.execute("DELETE FROM tags WHERE run_uuid = ? AND key = ?", (run, key))
        if value is not None:
            self.link.execute("INSERT INTO tags (key, value, run_uuid) VALUES (?, ?, ?)", (key, value, run))
        return Mutation(f"tag {key} of {run[:8]} = {value!r:.60}")

    def _text(self) -> str | None:
        return self.rng.choice([None, *TEXTS])

    def objectives(self) -> Mutation:
        return self._tag(
            self.rng.choice(self.parents), "tradeoff.objectives", self.rng.choice([None, *GOALS, *TEXTS])
        )

    def parent_tag(self) -> Mutation:
        return self._tag(
            self.rng.choice(self.parents), f"tradeoff.{self.rng.choice(PARENT_TAGS)}", self._text()
        )

    def child_tag(self) -> Mutation:
        return self._tag(
            self.rng.choice(self.children), f"tradeoff.{self.rng.choice(CHILD_TAGS)}", self._text()
        )

    def sweep_name(self) -> Mutation:
        done = self._tag(
            self.rng.choice(self.parents), f"tradeoff.{self.rng.choice(['sweep', 'kind'])}", self._text()
        )
        return Mutation(done.words, spares=False)

    def param(self) -> Mutation:
        run, key, value = self.rng.choice(self.children), self.rng.choice(PARAMS), self.rng.choice(TEXTS)
        self.link.execute(
            "INSERT OR REPLACE INTO params (key, value, run_uuid) VALUES (?, ?, ?)", (key, value, run)
        )
        return Mutation(f"param {key:.20} of {run[:8]} = {value!r:.60}")

    def everywhere(self) -> Mutation:
        """One odd parameter or metric in all runs, so that it becomes a column."""
        if self.rng.random() < 0.5:
            key, value = self.rng.choice(PARAMS), self.rng.choice(TEXTS)
            for run in self.children:
                told = value if self.rng.random() < 0.6 else self.rng.choice(TEXTS)
                self.link.execute(
                    "INSERT OR REPLACE INTO params (key, value, run_uuid) VALUES (?, ?, ?)", (key, told, run)
                )
            return Mutation(f"param {key:.20} of all = {value!r:.60}")
        key = self.rng.choice(KEYS)
        for run in self.children:
            self._metric(
                run,
                key,
                str(self.rng.random()) if self.rng.random() < 0.8 else self.rng.choice(NUMBERS),
                4000,
                0,
            )
        return Mutation(f"metric {key!r:.60} of all")

    def _metric(self, run: str, key: str, value: str, step: int, is_nan: int) -> None:
        for table in ("metrics", "latest_metrics"):
            self.link.execute(
                f"DELETE FROM {table} WHERE run_uuid = ? AND key = ? AND step = ?", (run, key, step)
            )
            # The number stands in the statement: SQLite writes infinity as 9e999.
            self.link.execute(
                f"INSERT OR REPLACE INTO {table} (key, value, timestamp, step, is_nan, run_uuid) "
                f"VALUES (?, {value}, 1, ?, ?, ?)",
                (key, step, is_nan, run),
            )

    def metric_key(self) -> Mutation:
        run, key = self.rng.choice(self.children), self.rng.choice(KEYS)
        self._metric(run, key, str(self.rng.random()), 4000, 0)
        return Mutation(f"metric {key!r:.60} of {run[:8]}")

    def metric_value(self) -> Mutation:
        run, key = (
            self.rng.choice(self.children),
            self.rng.choice(["precision", "recall", "fid", "obrs/2/precision", "lam_inert", "new"]),
        )
        value, step = self.rng.choice(NUMBERS), self.rng.choice([4000, *STEPS])
        self._metric(run, key, value, step, self.rng.choice([0, 0, 1]))
        return Mutation(f"metric {key} of {run[:8]} = {value} at {step}", spares="'" not in value)

    def artifact(self) -> Mutation:
        name = self.rng.choice(list(SHAPES))
        files = sorted((self._folder() / "artifacts").rglob(name))
        if not files:
            return Mutation("nothing")
        file = self.rng.choice(files)
        file.unlink() if file.is_file() else shutil.rmtree(file)
        shapes = [*SHAPES[name], *BYTES]
        content = self.rng.choice([None, "folder", *shapes, *shapes])
        if content == "folder":
            file.mkdir()
        elif content is not None:
            file.write_bytes(
                content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            )
        return Mutation(f"{name} of {file.parents[1].name[:8]} = {content!r:.60}")

    def _folder(self) -> Path:
        return Path(self.link.execute("PRAGMA database_list").fetchone()[2]).parent

    def artifact_place(self) -> Mutation:
        run = self.rng.choice([*self.children, *self.parents])
        place = self.rng.choice(
            [
                "",
                "nonsense",
                "ftp:",
                "file:///nowhere/at/all",
                "nosuch://x/y",
                "file:///etc",
                "http://127.0.0.1:9/x",
                "mlflow-artifacts:/x",
            ]
        )
        self.link.execute("UPDATE runs SET artifact_uri = ? WHERE run_uuid = ?", (place, run))
        return Mutation(f"artifacts of {run[:8]} at {place!r}")

    def identity(self) -> Mutation:
        run, other = self.rng.choice(self.children), self.rng.choice(self.children)
        (twin,) = self.link.execute(
            "SELECT value FROM tags WHERE run_uuid = ? AND key = 'tradeoff.trial'", (other,)
        ).fetchone() or ("x",)
        return self._tag(run, "tradeoff.trial", self.rng.choice([None, twin, *TEXTS]))

    def orphan(self) -> Mutation:
        run = self.rng.choice(self.children)
        return self._tag(
            run, "mlflow.parentRunId", self.rng.choice([None, run, "0" * 32, *self.parents, *TEXTS])
        )

    def stranger(self) -> Mutation:
        """A parent that is its own child, or another program's run among the trials."""
        run = self.rng.choice(self.parents)
        self._tag(run, "tradeoff.trial", self._text())
        return self._tag(run, "mlflow.parentRunId", self.rng.choice(self.parents))

    def times(self) -> Mutation:
        run, column = (
            self.rng.choice([*self.children, *self.parents]),
            self.rng.choice(["start_time", "end_time"]),
        )
        value = self.rng.choice(TIMES)
        self.link.execute(f"UPDATE runs SET {column} = ? WHERE run_uuid = ?", (value, run))
        return Mutation(f"{column} of {run[:8]} = {value}")

    def beyond_mlflow(self) -> Mutation:
        """What MLflow itself cannot read; then one sentence is all that is asked for."""
        run = self.rng.choice([*self.children, *self.parents])
        statement = self.rng.choice(STATEMENTS)
        self.link.execute(statement, (run,))
        return Mutation(f"{statement} {run[:8]}", spares=False)
