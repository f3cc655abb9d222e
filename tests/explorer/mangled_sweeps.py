"""Mangled sweep files and options, drawn from a seed: what a slip of the hand, a broken disk or malice may write.

``mangled_sweeps(seed, count)`` yields cases for ``tradeoff sweep``. Each must end in a plan (exit code 0: some faults
leave a valid file) or in one sentence (exit code 2). ``benchmarks/mangled_sweeps.py`` runs as many as one likes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from tests.explorer.hostile import ANYWHERE, HOSTILE, ODD_FILES, VALID

__all__ = ["Case", "mangled_sweeps"]


@dataclass(frozen=True)
class Case:
    """One run of ``tradeoff sweep FILE --dry-run``: the bytes of FILE, and the options behind it."""

    name: str
    file: bytes
    options: tuple[str, ...] = ()


def mangled_sweeps(seed: int, count: int) -> Iterator[Case]:
    """``count`` cases; equal seeds give equal cases."""
    dice = random.Random(seed)
    kinds = list(KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        name = f"{number} {kind.__name__.strip('_').replace('_', ' ')}"
        yield kind(dice, name)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of plain data that holds a value, the whole left out."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from _places(inner, (*path, key))


PLACES = tuple(_places(VALID))


def _written(value: Any, at: tuple[Any, ...], text: str) -> str:
    """The document with ``text``, YAML or not, in one place."""
    return _dumped(_with(value, at, "PUT-HERE")).replace("PUT-HERE", text, 1)


def _with(value: Any, at: tuple[Any, ...], put: Any) -> Any:
    if not at:
        return put
    inner = {key: _with(v, at[1:], put) if key == at[0] else v for key, v in _pairs(value)}
    return inner if isinstance(value, dict) else list(inner.values())


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def _dumped(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True)


def _valid() -> bytes:
    return _dumped(VALID).encode()


def _a_hostile_value(dice: random.Random, name: str) -> Case:
    at, text = dice.choice(PLACES), dice.choice(HOSTILE)
    return Case(
        f"{name}: {'.'.join(map(str, at))} = {text[:40]!r}",
        _written(VALID, at, text).encode("utf-8", "replace"),
    )


def _a_hostile_option(dice: random.Random, name: str) -> Case:
    at = dice.choice([place for place in PLACES if all(isinstance(part, str) for part in place)])
    text = dice.choice(HOSTILE)
    return Case(f"{name}: {'.'.join(at)} = {text[:40]!r}", _valid(), ("--set", f"{'.'.join(at)}={text}"))


def _an_odd_option(dice: random.Random, name: str) -> Case:
    count = dice.choice(["0", "-1", "1000000000", "9" * 400, "9" * 5000, "abc", "1.5", "", "nan", "１"])
    odd: list[tuple[str, ...]] = [
        ("--seeds", count), ("--trials", count), ("--set", "space=abc", "--set", "space.x=1"), ("--set", "space.=1"),
        ("--set", "nonsense"), ("--set", "=3"), ("--set", ""), ("--set", "."), ("--set", "..=1"), ("--set", "a.=1"),
        ("--set", "name.x=1"), ("--set", "a." * 3000 + "b=1"), ("--set", "x" * 5000 + "=1"), ("--set", "\x1b[31m=1"),
        ("--set", "seeds=[" + "1," * 3000 + "]"), ("--set", "space.objective.lam=" + dice.choice(HOSTILE)),
        ("--set", "space={}"),
        ("--set", f"space={{objective.lam: {dice.choice(HOSTILE)}}}"), ("--set", "evaluation.metrics.x=1"),
        ("--set", "training.iterations= "), ("--nope",), ("--set",), ("--seeds",), ("extra",),
        ("--address", "x" * 3000),
        ("--set", f"refinement=[{{name: obrs}}, {{name: {dice.choice(HOSTILE)}}}]"), ("--address", "\x00"),
        ("--address", "ray://"),
        *((f"--set={section}={dice.choice(HOSTILE)}",) for section in VALID),
    ]  # fmt: skip
    chosen = dice.choice(odd)
    return Case(f"{name}: {' '.join(chosen)[:60]!r}", _valid(), chosen)


def _truncated(dice: random.Random, name: str) -> Case:
    whole = _valid()
    return Case(name, whole[: dice.randrange(len(whole))])


def _bytes_flipped(dice: random.Random, name: str) -> Case:
    whole = bytearray(_valid())
    for _ in range(dice.choice([1, 1, 2, 5, 50])):
        whole[dice.randrange(len(whole))] = dice.randrange(256)
    return Case(name, bytes(whole))


def _characters_swapped(dice: random.Random, name: str) -> Case:
    letters = list(_valid().decode())
    for _ in range(dice.choice([1, 2, 3])):
        letters[dice.randrange(len(letters))] = dice.choice("[]{}:,&*!|>'\"%@`#-?\t\n 0aé\u2028\0")
    return Case(name, "".join(letters).encode())


def _lines_moved(dice: random.Random, name: str) -> Case:
    lines = _valid().decode().splitlines(keepends=True)
    line = dice.choice(lines)
    what: Callable[[], object] = dice.choice([
        lambda: lines.insert(dice.randrange(len(lines)), line),
        lambda: lines.remove(line),
        lambda: lines.append(line),
        lambda: dice.shuffle(lines),
        lambda: lines.insert(dice.randrange(len(lines)), dice.choice(ANYWHERE)),
        lambda: lines.append(dice.choice(ANYWHERE)),
        lambda: lines.insert(lines.index(line), " " * dice.randrange(1, 9) + line),
    ])  # fmt: skip
    what()
    return Case(name, "".join(lines).encode())


def _a_key_misspelt(dice: random.Random, name: str) -> Case:
    whole = _valid().decode()
    keys = [str(place[-1]) for place in PLACES if isinstance(place[-1], str)]
    key = dice.choice(keys)
    other = dice.choice(
        [
            key[:-1],
            key + "x",
            key.upper(),
            dice.choice(keys),
            "k" * 900,
            "1",
            "null",
            "<<",
            "''",
            "a.b.c",
            "? x",
        ]
    )
    return Case(f"{name}: {key} → {other[:20]}", whole.replace(f"{key}:", f"{other}:", 1).encode())


def _no_sweep_file(dice: random.Random, name: str) -> Case:
    return Case(name, dice.choice(ODD_FILES))


def _much_at_once(dice: random.Random, name: str) -> Case:
    """Several hostile values together, or a space that is huge in one way or another."""
    document = dict(VALID)
    for section in dice.sample(sorted(VALID), dice.randrange(1, 4)):
        document[section] = "PUT-HERE"
    text = _dumped(document)
    while "PUT-HERE" in text:
        text = text.replace("PUT-HERE", dice.choice(HOSTILE), 1)
    return Case(name, (_a_huge_space(dice) if dice.random() < 0.3 else text).encode())


def _a_huge_space(dice: random.Random) -> str:
    fields = ["ema", "beta1", "beta2", "decay", "critic_lr", "generator_lr"]
    axes = [
        f"training.{field}: {{range: [0.1, 0.9], steps: {dice.choice([3, 50, 1000])}}}"
        for field in fields[: dice.randrange(1, 7)]
    ]
    searches = [
        "{}",
        "{name: random, trials: 1000000000}",
        "{name: tpe, trials: 3}",
        "{name: grid, trials: 4}",
    ]
    seeds = dice.choice([1, 100, 10000])
    return f"seeds: {seeds}\nspace: {{{', '.join(axes)}}}\nsearch: {dice.choice(searches)}\n"


KINDS: tuple[Callable[[random.Random, str], Case], ...] = (
    _a_hostile_value, _a_hostile_option, _an_odd_option, _truncated, _a_hostile_value, _bytes_flipped,
    _characters_swapped,
    _lines_moved, _a_key_misspelt, _no_sweep_file, _much_at_once, _a_hostile_value,
)  # fmt: skip
