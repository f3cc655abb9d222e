"""A trained trial as MLflow calls it: requests in, samples out. What is wrong with a request is the caller's to mend.

This module goes along with every model. Beside MLflow and numpy it knows ``trainables`` alone.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from trainables.safetensors import read_tensors
from trainables.samplers.sampler import Drawn, Sampler
from trainables.samplers.turns import OutOfTime, Turn, Turns

__all__ = [
    "CARD_FILE",
    "MOST_DRAWS",
    "MOST_NUMBERS",
    "MOST_SAMPLES",
    "SECONDS",
    "WEIGHTS_FILE",
    "Served",
    "load",
]

CARD_FILE, WEIGHTS_FILE = "model.json", "weights.safetensors"

MOST_SAMPLES = 100_000
MOST_DRAWS = 10_000_000
MOST_NUMBERS = 1 << 26
"""Numbers in the samples of one call: 21,845 images of 32 × 32 in colour."""
MOST_ROWS = 10_000
SECONDS = 50.0
"""That a call may take unless it says otherwise: MLflow's server waits for 60."""
MOST_SECONDS = 86_400.0
SEEDS = 2**62
COLUMNS = ("n", "budget", "seed", "class")


@dataclass(frozen=True)
class Asked:
    """One request: so many samples at budget K, of a seed, of a class or of any."""

    n: int
    budget: float
    seed: int
    label: int | None


def load(folder: str) -> Served:
    """The model whose data lie in a folder."""
    place = Path(folder)
    card = json.loads((place / CARD_FILE).read_text(encoding="utf-8"))
    tensors, _ = read_tensors((place / WEIGHTS_FILE).read_bytes())
    return Served(Sampler(card, tensors))


class Served:
    """Answers requests: rows with ``n`` and, where they say so, ``budget``, ``seed`` and ``class``."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        # A server asks from several threads, and a network's parameters are laid into its modules call by call.
        self._turns = Turns()

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        """Samples (n, *shape), those of several rows one after the other; points as float32, images as bytes.

        With the parameter ``report`` a mapping: ``samples``; ``classes``, where they have some; and ``readings``, one
        per row: n, budget, seed, draws, acceptance. A call that takes more than ``seconds``, waiting for others
        included, is refused.
        """
        seconds, report = _params(params or {})
        until = monotonic() + seconds
        asked = [self._asked(row) for row in _rows(model_input)]
        self._check_sum(asked)
        drawn = self._drawn(asked, seconds, partial(self._turns.turn, until))
        samples = np.concatenate([one.samples for one in drawn])
        if not report:
            return samples
        classes = [one.classes for one in drawn if one.classes is not None]
        told = [_reading(one, found) for one, found in zip(asked, drawn, strict=True)]
        found = {"samples": samples, "readings": told}
        return {**found, "classes": np.concatenate(classes)} if classes else found

    def _asked(self, row: Mapping[str, Any]) -> Asked:
        odd = next((name for name in row if name not in COLUMNS), None)
        if odd is not None:
            _refuse(f"a request has {', '.join(COLUMNS)}, got {_written(odd)!r}; leave it out")
        if row.get("n") is None:
            _refuse("a request must say how many samples n it wants; send for example {'n': 64, 'budget': 2}")
        budget = 1.0 if row.get("budget") is None else _number(row["budget"], "budget K")
        if not 1 <= budget < math.inf:
            _refuse(f"budget K must be ≥ 1, got {budget!r}; use K=1 to accept every sample")
        seed = (
            secrets.randbelow(SEEDS) if row.get("seed") is None else _whole(row["seed"], "seed", 0, SEEDS - 1)
        )
        return Asked(_whole(row["n"], "n", 1, MOST_SAMPLES), budget, seed, self._label(row.get("class")))

    def _label(self, value: Any) -> int | None:
        if value is None:
            return None
        classes = self._sampler.classes
        if classes is None:
            _refuse("class must be left out: this model makes samples of no class of one's choice")
        return _whole(value, "class", 0, classes - 1)

    def _check_sum(self, asked: list[Asked]) -> None:
        """Refuse what would take a machine's memory or an hour, before anything is drawn."""
        if not asked:
            _refuse("a request must have a row, got none; send for example {'n': 64, 'budget': 2}")
        samples = sum(one.n for one in asked)
        most = min(MOST_SAMPLES, max(1, MOST_NUMBERS // math.prod(self._sampler.shape)))
        if samples > most:
            _refuse(f"n must be at most {most:,} in all, got {samples:,}; ask several times")
        draws = sum(one.n * one.budget for one in asked)
        if draws > MOST_DRAWS:
            _refuse(
                f"n times budget K must be at most {MOST_DRAWS:,} draws, got {draws:.4g}; use fewer samples or a "
                "smaller budget"
            )

    def _drawn(self, asked: list[Asked], seconds: float, turn: Turn) -> list[Drawn]:
        done: list[Drawn] = []
        try:
            for one in asked:
                done.append(self._sampler.draw(one.n, one.budget, one.seed, one.label, turn))
        except OutOfTime as error:
            kept = sum(len(one.samples) for one in done) + error.kept
            _refuse(
                f"a call must be over in {seconds:g} seconds, and kept {kept:,} of {sum(one.n for one in asked):,} "
                "samples in them; ask for fewer samples, a smaller budget, or more seconds by the parameter 'seconds'"
            )
        except ValueError as error:
            _refuse(str(error))
        return done


def _params(given: Mapping[str, Any]) -> tuple[float, bool]:
    """How many seconds a call may take, and whether it shall tell what it cost."""
    seconds = SECONDS if given.get("seconds") is None else _number(given["seconds"], "seconds")
    if not 0 < seconds <= MOST_SECONDS:
        _refuse(
            f"seconds must be above 0 and at most {MOST_SECONDS:,.0f}, got {seconds!r}; {SECONDS:g} is usual"
        )
    return seconds, bool(given.get("report"))


def _rows(given: Any) -> Iterator[Mapping[str, Any]]:
    """Requests of a table, as MLflow hands it over, of a mapping or of several."""
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        given = _told(given.to_dict(orient="records"))
    rows = [given] if isinstance(given, Mapping) else given
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        _refuse(f"a request must be a mapping such as {{'n': 64, 'budget': 2}}, got {type(given).__name__}")
    if len(rows) > MOST_ROWS:
        _refuse(f"a request has at most {MOST_ROWS:,} rows, got {len(rows):,}; ask several times")
    yield from rows


def _told(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a table, each with what it says: a cell is NaN that is left out in a column that other rows fill."""
    filled = {name for row in rows for name, cell in row.items() if not _is_nan(cell)}
    return [
        {name: cell for name, cell in row.items() if name not in filled or not _is_nan(cell)} for row in rows
    ]


def _is_nan(cell: Any) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def _number(value: Any, what: str) -> float:
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and value.size == 1 else value
    if isinstance(plain, bool) or not isinstance(plain, Real):
        _refuse(f"{what} must be a number, got {_written(value)!r}")
    try:
        return float(plain)
    except OverflowError:  # a whole number beyond all real ones
        return -math.inf if plain < 0 else math.inf


def _whole(value: Any, what: str, least: int, most: int) -> int:
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and value.size == 1 else value
    whole = isinstance(plain, Integral) or (isinstance(plain, float) and plain.is_integer())
    if isinstance(plain, bool) or not whole or not least <= plain <= most:
        _refuse(f"{what} must be a whole number from {least:,} to {most:,}, got {_written(value)}")
    return int(plain)


def _written(value: Any) -> str:
    """A value as it may stand in a sentence."""
    try:
        return str(value)[:40]
    except Exception:  # such as a whole number of more digits than Python writes
        return f"a value of {type(value).__name__} that cannot be written"


def _reading(asked: Asked, drawn: Drawn) -> dict[str, Any]:
    share = asked.n / drawn.draws
    return {
        "n": asked.n,
        "budget": asked.budget,
        "seed": asked.seed,
        "draws": drawn.draws,
        "acceptance": share,
    }


def _refuse(sentence: str) -> NoReturn:
    """As MLflow tells callers of their mistakes: with status 400 and no trace."""
    from mlflow.exceptions import MlflowException

    raise MlflowException.invalid_parameter_value(sentence) from None
