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

__all__ = ["Case", "mangled_sweeps"]

VALID: dict[str, Any] = {
    "name": "ring",
    "description": "λ against the critic",
    "plugins": [],
    "dataset": {"name": "rings", "radii": [1.0, 2.0], "sigma": 0.1},
    "model": {"name": "mlp_gan", "generator": [8], "critic": [8, 8], "latent": 2},
    "objective": {"name": "pr", "lam": 1.0, "critic": "logistic", "form": "log", "likelihood": 0.0},
    "constraint": {"name": "spectral", "lipschitz": 5.0},
    "training": {
        "iterations": 20, "batch_size": 16, "critic_steps": 1, "generator_lr": 0.001, "critic_lr": 0.004,
        "beta1": 0.5, "beta2": 0.99, "ema": 0.995, "decay": 0.5,
    },
    "refinement": {"name": "obrs", "budgets": [1, 2, 4]},
    "evaluation": {
        "samples": 64, "k": 3, "every": 10, "features": {"name": "identity"},
        "metrics": ["neighbours", "frechet", {"name": "prd", "clusters": 5, "runs": 2}, "kernel"],
    },
    "seeds": 2,
    "space": [
        {"objective.lam": [0.1, 1, 10], "constraint.name": ["none", "spectral"]},
        {"training.ema": {"range": [0.1, 0.9], "steps": 3}, "training.batch_size": {"log_range": [8, 64], "steps": 2}},
    ],
    "search": {"name": "grid", "trials": 12, "objectives": {"precision": "max", "fid": "min"}},
    "stopping": {"name": "plateau", "patience": 3, "margin": 0.0},
    "resources": {"cpus": 1, "gpus": 0, "pack": 8, "retries": 2, "storage": "checkpoints"},
    "tracking": {"experiment": "mine"},
}  # fmt: skip
"""Every section, every kind of value; small enough to plan in no time."""

HOSTILE: tuple[str, ...] = (
    # numbers
    "0", "-1", "-0.0", "1e-320", "1e308", "1e400", "-1e400", ".inf", "-.inf", ".nan", "9" * 25, "9" * 400, "9" * 5000,
    "1000000000", "1000000000000000000", "0.5", "1e5", "2147483648", "4611686018427387904", "9223372036854775807",
    # text
    '""', "' '", "x", "none", "null", "~", "yes", "true", "a" * 3000, "é" * 300, "\u202eabc", '"\\0"', '"a\\0b"', '"\\e[31mred"',
    '"\\ud800"', '"a\\nb"', "2001-99-99", "2001-01-01", "2001-01-01 00:00:00", "1:30", "010", "0x1F", "'1'", "1_000", "=", "<<",
    # paths and addresses
    "~nobody_here/x", "/dev/null/x", "/proc/version", "/proc/1/root", "../" * 50, "a/" * 3000, "sqlite:///", "sqlite:///~nobody_here/x.db",
    "http://[::1", "http://", "ftp://x", "file:///proc/version", "http://a:99999", "sqlite:////proc/version", "__main__", "os.path", ".", "..",
    # collections
    "[]", "{}", "[1]", "[[1]]", "[null]", "{a: 1}", "{name: x}", "{name: [1]}", "{name: {a: 1}}", "[1, a]", "[1, [2, {a: 3}]]", "{1: 2}",
    "{null: 1}", "{true: 1}", "[" + "1, " * 3000 + "1]", "[" + "8, " * 300 + "8]", "{" + ", ".join(f"k{i}: {i}" for i in range(500)) + "}",
    "[" * 30 + "]" * 30, "[" * 3000, "{a: " * 300 + "1" + "}" * 300, "&x [*x]", "&x {a: *x}", "*undefined",
    "{range: [0, 1]}", "{range: [1, 0]}", "{range: [0, 1], steps: 1000000000}", "{log_range: [0, 1]}", "{range: [-1e308, 1e308], steps: 5}",
    "{log_range: [1e-320, 1e308], steps: 3}", "{range: [a, b]}", "{range: 3}", "{choice: []}", "{choice: 3}", "{choice: [1], range: [0, 1]}",
    # tags
    "!!python/object/apply:os.system ['true']", "!!timestamp 2001-01-01", "!!binary aGVsbG8=", "!!set {a, b}", "!mine 3", "!!float x",
    "!!int ''", "!!bool maybe", "!<tag:x> 1",
)  # fmt: skip
"""Values as YAML text, to stand where another value stood."""

ANYWHERE: tuple[str, ...] = (
    "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)),
    "m0: &m0 {a: 1, b: 2}\n" + "".join(f"m{i}: &m{i} {{<<: [*m{i - 1}, *m{i - 1}]}}\n" for i in range(1, 24)),
    "space: [" + ", ".join(f"{{objective.lam: [{', '.join('123456789')}]}}" for _ in range(40)) + "]\n",
    "\n---\nname: other\n", "...\n", "%YAML 9.9\n---\n", "\tname: x\n", "? [a, b]\n: 3\n", "{a: 1}: 2\n", "<<: 3\n", "<<: [1]\n",
    "- a\n", "name\n", ": 3\n", "'\n", '"\n', "|\n", "@\n", "`\n", "&a\n", "*a\n", "!!\n", "\ufeff", "\x85", "\u2028", "#" * 5000 + "\n",
    "unknown: 1\n", "k" * 1100 + ": 1\n", "1: 2\n", "null: 3\n", "Name: x\n", "seed: 3\n",
)  # fmt: skip
"""Lines that belong nowhere."""

ODD_FILES: tuple[bytes, ...] = (
    b"", b"\n", b"# nothing\n", b"3\n", b"text\n", b"- a\n", b"null\n", b"\x00", b"\xff\xfe\x00", b"\x89PNG\r\n\x1a\n\x00\x00",
    "name: x\n".encode("utf-16"), "name: é\n".encode("latin-1"), b"PK\x03\x04" + bytes(100), b"\x1f\x8b\x08" + bytes(50),
    b"name: x\r\n" * 3, b"a" * 300_000, b"#" * 300_000, b"[" * 200_000, b"{" * 200_000, b"? " * 50_000, b"- " * 50_000,
    b"a: " * 5_000, b"x: [" + b"1, " * 80_000 + b"]", b'x: "' + b"\\u0041" * 40_000 + b'"', b"x: '" + b"''" * 60_000 + b"'",
    b"".join(b"k%d: 1\n" % i for i in range(20_000)), b"x: " + b"1:" * 50_000 + b"1", b"x: " + b"0" * 200_000,
    b"x: |\n" + b"  y\n" * 40_000, b"&a " * 1_000 + b"x", b"!!str " * 1_000 + b"x",
)  # fmt: skip
"""What is no sweep file at all."""


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
    return yaml.safe_dump(_with(value, at, "PUT-HERE"), sort_keys=False, allow_unicode=True).replace(
        "PUT-HERE", text, 1
    )


def _with(value: Any, at: tuple[Any, ...], put: Any) -> Any:
    if not at:
        return put
    inner = {key: _with(v, at[1:], put) if key == at[0] else v for key, v in _pairs(value)}
    return inner if isinstance(value, dict) else list(inner.values())


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def _valid() -> bytes:
    return yaml.safe_dump(VALID, sort_keys=False, allow_unicode=True).encode()


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
        ("--set", "seeds=[" + "1," * 3000 + "]"), ("--set", "space.objective.lam=" + dice.choice(HOSTILE)), ("--set", "space={}"),
        ("--set", f"space={{objective.lam: {dice.choice(HOSTILE)}}}"), ("--set", "evaluation.metrics.x=1"),
        ("--set", "training.iterations= "), ("--nope",), ("--set",), ("--seeds",), ("extra",), ("--address", "x" * 3000),
        ("--set", f"refinement=[{{name: obrs}}, {{name: {dice.choice(HOSTILE)}}}]"), ("--address", "\x00"), ("--address", "ray://"),
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
    """Several hostile values together; also spaces that are huge in one way or another."""
    text = yaml.safe_dump(VALID, sort_keys=False, allow_unicode=True)
    document = dict(VALID)
    for section in dice.sample(sorted(VALID), dice.randrange(1, 4)):
        document[section] = "PUT-HERE"
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    while "PUT-HERE" in text:
        text = text.replace("PUT-HERE", dice.choice(HOSTILE), 1)
    if dice.random() < 0.3:
        paths = [
            "objective.lam",
            "training.ema",
            "training.beta1",
            "training.beta2",
            "training.decay",
            "training.critic_lr",
        ]
        axes = [
            f"{path}: {{range: [0.1, 0.9], steps: {dice.choice([3, 50, 1000])}}}"
            for path in paths[: dice.randrange(1, 7)]
        ]
        search = dice.choice(
            ["{}", "{name: random, trials: 1000000000}", "{name: tpe, trials: 3}", "{name: grid, trials: 4}"]
        )
        text = f"seeds: {dice.choice([1, 100, 10000])}\nspace: {{{', '.join(axes)}}}\nsearch: {search}\n"
    return Case(name, text.encode("utf-8", "replace"))


KINDS: tuple[Callable[[random.Random, str], Case], ...] = (
    _a_hostile_value, _a_hostile_option, _an_odd_option, _truncated, _a_hostile_value, _bytes_flipped, _characters_swapped,
    _lines_moved, _a_key_misspelt, _no_sweep_file, _much_at_once, _a_hostile_value,
)  # fmt: skip
