"""Sweep files that are broken for sure, made of every preset: each must be refused in one sentence, nothing begun.

``mangled_sweeps`` mangles blindly, and some of what it makes is still a sweep. Here the structure is known, and so is
the outcome: exit code 2, one readable line, no file made. ``benchmarks/mangled_sweeps.py`` runs as many as one likes.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from explorer.cli import main
from explorer.cli.sweep import sweep
from explorer.errors import LONGEST_SENTENCE, UserError
from explorer.sweep.document import preset_names, preset_text
from tests.explorer.hostile import VALID

__all__ = ["KINDS", "Broken", "broken_sweeps", "fault_of"]


@dataclass(frozen=True)
class Broken:
    """A file for ``tradeoff sweep``, what lies beside it, and in which way it is broken."""

    kind: str
    name: str
    file: bytes
    beside: dict[str, str] = field(default_factory=dict)


def broken_sweeps(seed: int, count: int) -> Iterator[Broken]:
    """``count`` files, all kinds in turn; equal seeds give equal files."""
    dice = random.Random(seed)
    valid = {"valid": VALID, **{name: yaml.safe_load(preset_text(name)) for name in preset_names()}}
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        source = dice.choice(sorted(valid))
        made = kind(dice, valid[source])
        text, beside = made if isinstance(made, tuple) else (made, {})
        content = text if isinstance(text, bytes) else text.encode()
        told = kind.__name__.strip("_").replace("_", " ")
        yield Broken(told, f"{number} {told}, {source}", content, beside)


def fault_of(case: Broken, folder: Path, whole: bool = False) -> str | None:
    """What is wrong with how the command refuses a file in ``folder``; None if it is refused well.

    ``whole``: through the command line, of which making its parser anew takes longer than the sweep file does.
    """
    for name, text in case.beside.items():
        (folder / name).write_text(text)
    file = folder / "broken.yaml"
    file.write_bytes(case.file)
    before = _files(folder)
    said, printed, words = io.StringIO(), io.StringIO(), sys.argv
    code: object = 0
    sys.argv = ["tradeoff", "sweep", str(file)]
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
            main() if whole else sweep(str(file))
    except SystemExit as ended:
        code = ended.code
    except UserError as error:  # as the command line tells it
        code = 2
        said.write(f"tradeoff: {error}\n")
    except BaseException as error:
        return f"raised {type(error).__name__}: {error}"
    finally:
        sys.argv = words
    return _fault(code, said.getvalue(), printed.getvalue(), _files(folder) - before)


def _fault(code: object, told: str, printed: str, made: set[str]) -> str | None:
    if code != 2:
        return f"ended with code {code}: {told[:200]!r}"
    if not told.startswith("tradeoff: ") or told.count("\n") != 1 or not told.strip().isprintable():
        return f"said no single readable line: {told[:200]!r}"
    if len(told) > LONGEST_SENTENCE + 20 or "Traceback" in told:
        return f"said too much: {told[:200]!r}"
    return f"printed {printed[:80]!r} and made {sorted(made)[:3]}" if printed or made else None


def _files(folder: Path) -> set[str]:
    """All that lies there, but for the bytecode of plugins."""
    return {str(file) for file in folder.rglob("*") if "__pycache__" not in file.parts}


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


def _with(value: Any, path: tuple[Any, ...], put: Any) -> Any:
    """The same data with another value in one place."""
    if not path:
        return put
    if isinstance(value, dict):
        return {key: _with(v, path[1:], put) if key == path[0] else v for key, v in value.items()}
    return [_with(v, path[1:], put) if i == path[0] else v for i, v in enumerate(value)]


def _dumped(value: Any) -> str:
    quick = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(value, Dumper=quick, sort_keys=False, allow_unicode=True))


def _numbers(valid: Any) -> list[tuple[Any, ...]]:
    return [
        p
        for p in _places(valid)
        if isinstance(_at(valid, p), int | float) and not isinstance(_at(valid, p), bool)
    ]


def _a_wrong_type(dice: random.Random, valid: Any) -> str:
    """A section of strange keys where anything else belongs."""
    junk = dice.choice(
        [{"no_such_key": {"x": [1, {}]}}, {"no_such_key": None}, {"": {}}, {"1": {"2": {"3": 4}}}]
    )
    return _dumped(_with(valid, dice.choice(list(_places(valid))), junk))


def _an_unknown_key(dice: random.Random, valid: Any) -> str:
    sections = [(), *(place for place in _places(valid) if isinstance(_at(valid, place), dict))]
    at = dice.choice(sections)
    key = dice.choice(["no_such_key", "iterrations", "λ", "a.b", "x" * 300, "__class__", "space.x"])
    return _dumped(_with(valid, at, {**_at(valid, at), key: dice.choice([1, "x", [1], {"a": 1}, None])}))


def _a_number_that_is_none(dice: random.Random, valid: Any) -> str:
    put = dice.choice([".nan", ".inf", "-.inf", "1e999", "9" * 400, "-" + "9" * 400, "0x" + "f" * 400])
    return _dumped(_with(valid, dice.choice(_numbers(valid)), "PUT-HERE")).replace("PUT-HERE", put, 1)


def _text_for_a_number(dice: random.Random, valid: Any) -> str:
    put = dice.choice(["many", "", "1,000", "ten", "1e", "--1", "５x", "0b12", "1/2", "None"])
    return _dumped(_with(valid, dice.choice(_numbers(valid)), put))


def _bytes_that_are_no_text(dice: random.Random, valid: Any) -> bytes:
    whole = _dumped(valid).encode()
    at = dice.randrange(len(whole))
    return (
        whole[:at] + dice.choice([b"\xff", b"\xc3\x28", b"\x80\x80", b"\xed\xa0\x80", b"\x00"]) + whole[at:]
    )


def _aliases_without_end(dice: random.Random, valid: Any) -> str:
    levels = [f"a0: &a0 [{', '.join(['x'] * 10)}]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, dice.choice([5, 9, 30]))]
    circle = dice.choice(["space: &s [*s]", "model: &m {generator: *m}", "description: *nowhere"])
    return dice.choice(["\n".join(levels) + "\n" + _dumped(valid), circle + "\nseeds: 1\n"])


def _tabs(dice: random.Random, valid: Any) -> str:
    lines = _dumped(
        {key: v for key, v in valid.items() if key != "description"}
    ).splitlines()  # where tabs are text
    indented = [i for i, line in enumerate(lines) if line.startswith("  ")]
    at = dice.choice(indented)
    lines[at] = "\t" + lines[at].lstrip()
    return "\n".join(lines) + "\n"


def _a_key_twice(dice: random.Random, valid: Any) -> str:
    return _dumped(valid) + _dumped({dice.choice(sorted(valid)): dice.choice([1, "x", {}, []])})


def _nested_deeply(dice: random.Random, valid: Any) -> str:
    deep = dice.choice([60, 500, 20_000])
    opened, closed = dice.choice([("[", "]"), ("{a: ", "}")])
    put = opened * deep + "1" + closed * dice.choice([0, deep])
    return _dumped(_with(valid, dice.choice(list(_places(valid))), "PUT-HERE")).replace("PUT-HERE", put, 1)


PLUGINS = {
    "absent": None,
    "syntax": "def broken(:\n",
    "raising": "raise RuntimeError('at import\\nin two lines')\n",
    "leaving": "import sys\nsys.exit(7)\n",
    "binary": "\0\0\0",
    "endless": "def f():\n    return f()\nf()\n",
    "wrong": (
        "from dataclasses import dataclass\nfrom trainables.objectives import Objective\n"
        "@dataclass(frozen=True)\nclass Wrong(Objective):\n    name = 3\n"
    ),
    "twice": (
        "from dataclasses import dataclass\nfrom trainables.objectives.hinge import Hinge\n"
        "@dataclass(frozen=True)\nclass Other(Hinge):\n    name = 'pr'\n"
    ),
}


def _a_wrong_plugin(dice: random.Random, valid: Any) -> tuple[str, dict[str, str]]:
    name, text = dice.choice(sorted(PLUGINS.items()))
    module = f"broken_{name}_{dice.randrange(10**9)}"
    odd = dice.choice([[], [], [], [""], ["../x"], ["a b"], [3], ["x" * 400], [None]])
    beside = {} if text is None else {f"{module}.py": text}
    return _dumped({**valid, "plugins": odd or [module]}), beside


SECTIONS: tuple[dict[str, Any], ...] = (
    {"search": {"name": "nope"}}, {"search": {"trials": 0}}, {"search": {"trials": -3}}, {"search": {"trials": "all"}},
    {"search": {"name": "random"}}, {"search": {"objectives": {"nope": "max"}}}, {"search": []}, {"search": "grid!"},
    {"search": {"objectives": {"fid": "up"}}}, {"search": {"objectives": []}}, {"search": {"name": ["tpe"]}},
    {"search": {"name": "tpe", "trials": 5, "seed": "x"}}, {"search": {"objectives": {"fid": None}}},
    {"stopping": {"name": "asha"}}, {"stopping": {"name": "plateau", "patience": -1}}, {"stopping": 3},
    {"stopping": {"name": "plateau", "patience": "long"}}, {"stopping": {"patience": 3}}, {"stopping": [{}]},
    {"resources": {"cpus": -1}}, {"resources": {"cpus": "all"}}, {"resources": {"gpus": -0.5}}, {"resources": []},
    {"resources": {"pack": 0}}, {"resources": {"pack": 1.5}}, {"resources": {"retries": -1}}, {"resources": "many"},
    {"resources": {"storage": ["x"]}}, {"resources": {"storage": "a\0b"}}, {"resources": {"storage": {"a": 1}}},
    {"tracking": {"uri": "ftp://host/x"}}, {"tracking": {"uri": "sqlite:///:memory:"}}, {"tracking": {"uri": 3}},
    {"tracking": {"uri": "http://"}}, {"tracking": {"experiment": ["a"]}}, {"tracking": 5}, {"tracking": ["x"]},
    {"start": {"from": "nope"}}, {"start": {"from": 3}}, {"start": "base"}, {"start": {"from": "base"}, "base": 3},
    {"start": {"from": "base"}, "base": {"training": {"iterations": -5}}}, {"start": {"nope": 1}}, {"base": []},
    {"start": {"from": "base"}, "base": {"no_such_key": 1}}, {"base": "x"}, {"start": []},
    {"start": {"from": "base"}, "base": {"objective": {"name": "nope"}}}, {"seeds": 0}, {"seeds": [1, 1]},
    {"seeds": []}, {"seeds": -1}, {"seeds": 2**63}, {"seeds": "three"}, {"seeds": {"a": 1}}, {"seeds": [None]},
    {"space": {"objective.lamm": [1]}}, {"space": {"nope": [1]}}, {"space": {"objective.lam": []}}, {"space": 3},
    {"space": {"objective.lam": {"range": [1]}}}, {"space": {"objective.lam": {"log": [0, 1]}}}, {"space": "lam"},
    {"space": {"objective.lam": {"range": [5, 1], "steps": 0}}}, {"space": [[]]}, {"space": [3]}, {"space": [None]},
    {"space": {"training.iterations": {"range": [1, 5]}, "search": [1]}}, {"space": {"objective.lam": {"a": 1}}},
    {"name": "a b"}, {"name": ""}, {"name": "../x"}, {"name": "x" * 101}, {"name": 3.5}, {"name": ["x"]},
    {"name": "\x1b[2J"}, {"description": ["x"]}, {"description": "x" * 5001}, {"plugins": "x"}, {"plugins": 3},
    {"evaluation": {"samples": 0}}, {"evaluation": {"metrics": []}}, {"evaluation": {"metrics": ["nope"]}},
    {"evaluation": {"features": "nope"}}, {"evaluation": {"k": 0}}, {"evaluation": {"every": -1}}, {"evaluation": 1},
    {"refinement": {"name": "nope"}}, {"refinement": {"budgets": [0.5]}}, {"refinement": {"budgets": "all"}},
    {"refinement": [3]}, {"refinement": {"name": "obrs", "budgets": [[1]]}}, {"refinement": 7},
    {"dataset": {"name": "nope"}}, {"dataset": "nope"}, {"dataset": 3}, {"model": {"name": "nope"}}, {"model": []},
    {"objective": {"name": "nope"}}, {"objective": {"name": "pr", "lam": -1}}, {"constraint": {"name": "nope"}},
    {"generator_constraint": {"name": "gradient_penalty"}}, {"training": {"iterations": -1}}, {"training": []},
    {"training": {"batch_size": 0}}, {"training": {"precision": "fp8"}}, {"training": {"ema": 1}},
)  # fmt: skip
"""Sections that no sweep can have, whatever else it says."""


def _a_section_that_no_sweep_can_have(dice: random.Random, valid: Any) -> str:
    return _dumped({**valid, **dice.choice(SECTIONS)})


def _no_sections_at_all(dice: random.Random, valid: Any) -> str:
    return dice.choice([
        "[1, 2]\n", "just text\n", "3\n", "- name: x\n", "!!python/object:os.system {}\n", "null\n", "true\n",
        "--- 1\n--- 2\n", "? [a]\n: b\n", "{", "]", "%YAML 9.9\n---\nseeds: 1\n", "&a\n", "!!set {a, b}\n",
        "2020-01-01\n",
        "x: [1, {", "'", "!!binary aGVsbG8=\n", "1: 2\n", "? {a: 1}\n: 2\n",
        _dumped(valid) + "---\n" + _dumped(valid), _dumped(valid) + "x: [1, {\n", "!!omap [a: 1]\n",
    ])  # fmt: skip


def _noise(dice: random.Random, valid: Any) -> bytes:
    return b"\x00\xff" + dice.randbytes(dice.choice([1, 50, 3000]))


KINDS: tuple[Callable[[random.Random, Any], Any], ...] = (
    _a_wrong_type, _an_unknown_key, _a_number_that_is_none, _text_for_a_number, _bytes_that_are_no_text,
    _aliases_without_end, _tabs, _a_key_twice, _nested_deeply, _a_wrong_plugin,
    _a_section_that_no_sweep_can_have, _a_section_that_no_sweep_can_have, _no_sections_at_all, _noise,
)  # fmt: skip
