"""Reading commands over a hostile store, and what of their outcomes breaks the rules."""

from __future__ import annotations

import csv
import io
import json
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from typer.testing import CliRunner

from explorer import api
from explorer.cli import command_line
from explorer.errors import LONGEST_SENTENCE, UserError
from tests.app.made_sweep import DOCUMENT, MADE
from tests.hostile_stores import SWEEPS, Mutation, copy_store, mutate
from tests.hostile_values import ALERT

__all__ = ["Hostile", "Outcome"]

LONGEST = LONGEST_SENTENCE + 20


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and the rule it broke, if it did."""

    command: str
    code: int
    violation: str = ""


class Hostile:
    """Makes stores at one place, so that MLflow's start is paid for once, and runs the commands over each."""

    def __init__(self, good: Path, folder: Path) -> None:
        self.good, self.folder = good, folder / "hostile"
        self.folder.mkdir()
        self.uri = f"sqlite:///{self.folder / 'mlflow.db'}"
        (self.folder / "sweep.yaml").write_text(DOCUMENT)

    def run(self, seed: int, with_page: bool = False) -> tuple[list[Mutation], list[Outcome]]:
        """Make the store of a seed and run every command over it."""
        self._let_go()
        mutations = mutate(copy_store(self.good, self.folder), seed)
        spared = all(mutation.spares for mutation in mutations)
        outcomes = [self._command(arguments, spared) for arguments in self._commands()]
        outcomes += [self._api(sweep) for sweep in SWEEPS]
        if with_page:
            outcomes += [self._page(sweep) for sweep in SWEEPS]
        return mutations, outcomes

    def _let_go(self) -> None:
        """Close the connections that MLflow keeps to the store before."""
        from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

        for engine in SqlAlchemyStore._engine_map.values():
            engine.dispose()

    def _commands(self) -> Iterator[list[str]]:
        uri = ["--tracking-uri", self.uri]
        for sweep in SWEEPS:
            yield ["front", sweep, "--all", "--html", str(self.folder / "report.html"), *uri]
            yield ["front", sweep, "--csv", *uri]
            yield ["front", sweep, "--json", *uri]
        yield ["front", MADE, "--budget", "2", "--method", "obrs", *uri]
        file = str(self.folder / "sweep.yaml")
        yield ["sweep", file, "--dry-run", "--json", "--set", f"tracking.uri={self.uri}"]

    def _command(self, arguments: list[str], spared: bool) -> Outcome:
        (self.folder / "report.html").unlink(missing_ok=True)
        result = CliRunner().invoke(command_line, arguments, env={"COLUMNS": "200"})
        words = " ".join(a for a in arguments if str(self.folder) not in a)
        if isinstance(result.exception, UserError):
            told = str(result.exception)
            long = f"a sentence of {len(told)} characters" if len(told) > LONGEST or "\n" in told else ""
            needless = f"refused: {told}" if spared and "--budget" not in arguments else ""
            return Outcome(words, 2, long or needless)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            return Outcome(words, 1, "".join(traceback.format_exception(result.exception))[-700:])
        fault = next(self._faults(arguments, result.stdout, result.stderr), "")
        return Outcome(
            words, result.exit_code, fault or ("" if result.exit_code == 0 else result.output[-300:])
        )

    def _faults(self, arguments: list[str], out: str, err: str) -> Iterator[str]:
        if "Traceback" in out + err:
            yield "a traceback is shown: " + err[-500:]
        if "--json" in arguments:
            json.loads(out, parse_constant=_no_constant)
        elif "--csv" in arguments:
            widths = {len(row) for row in csv.reader(io.StringIO(out))}
            if len(widths) != 1:
                yield f"rows of {widths} cells"
        elif any(ord(c) < 32 and c != "\n" for c in out):
            yield "control characters reach the terminal"
        if any(ord(c) < 32 and c not in "\n\t" for c in err):
            yield "control characters reach the terminal"
        if "--html" in arguments:
            yield from alive((self.folder / "report.html").read_text())

    def _api(self, sweep: str) -> Outcome:
        """The same from Python."""
        try:
            found = api.results(sweep, self.uri)
            api.front(found).to_pandas()
            api.figure(found)
            for trial in found:
                found.history(trial.id)
                found.curve(trial.id)
        except UserError:
            return Outcome(f"api {sweep}", 2)
        except Exception as error:
            return Outcome(f"api {sweep}", 1, "".join(traceback.format_exception(error))[-700:])
        return Outcome(f"api {sweep}", 0)

    def _page(self, sweep: str) -> Outcome:
        """The app's page without a browser."""
        import streamlit as st

        from tests.app.running import html, run_page

        st.cache_data.clear()
        st.cache_resource.clear()
        os.environ["MLFLOW_TRACKING_URI"] = self.uri
        try:
            app = run_page(sweep=sweep)
        finally:
            del os.environ["MLFLOW_TRACKING_URI"]
        if app.exception:
            return Outcome(
                f"app {sweep}", 1, f"{app.exception[0].message}\n{app.exception[0].stack_trace}"[-700:]
            )
        return Outcome(f"app {sweep}", 0, next(alive(html(app)), ""))


def _no_constant(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")


def alive(page: str) -> Iterator[str]:
    """What of a store would run in a page: scripts and handlers that hostile values brought."""
    parser = _Alive()
    parser.feed(page)
    yield from parser.found


class _Alive(HTMLParser):
    """Looks for ``ALERT`` where a browser would run it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if ALERT in (value or "") and (
                name.startswith("on") or (value or "").strip().startswith("javascript:")
            ):
                self.found.append(f"<{tag} {name}={value!r:.80}> would run")
            if name == "src" and "evil.example" in (value or ""):
                self.found.append(f"<{tag}> would fetch {value!r:.80}")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script" and data.strip().startswith(ALERT):
            self.found.append(f"a script would run: {data!r:.80}")
