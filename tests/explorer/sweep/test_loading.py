"""YAML is read as people mean it, and what could fill memory, time or a terminal is refused with its line."""

from __future__ import annotations

import math

import pytest

from explorer.errors import UserError
from explorer.sweep.loading import DEEPEST, LARGEST_BYTES, MOST_VALUES, check_text, parse_yaml

BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
)

REFUSED = {
    "a key twice": ("seeds: 1\nname: a\nseeds: 2", "at line 3: key 'seeds' is given twice, first at line 1"),
    "a key twice, inside": ("a: {b: 1, b: 2}", "key 'b' is given twice"),
    "a key twice, merged": ("a: {<<: {b: 1, b: 2}}", "key 'b' is given twice"),
    "a number and its text": ("a: {1: x, '1': y}", "key '1' is given twice"),
    "a number beyond floats": ("a: " + "9" * 400, "whole numbers lie within ±2^63, got 999"),
    "a number of 200 kB": ("a: " + "9" * 200_000, "whole numbers lie within ±2^63, got 999"),
    "a number beyond ours": (f"a: {2**63}", "write large ones as 1e20"),
    "a float beyond floats": ("a: -1e400", "numbers lie within ±1.8e308, got -1e400"),
    "deep lists": ("[" * 100_000, f"at most {DEEPEST} sections lie within each other"),
    "deep sections": ("\n".join(" " * i + "a:" for i in range(300)), "at line 20: at most 20 sections"),
    "deep keys": ("? " * 60_000, "at most 20 sections"),
    "an alias of itself": ("a: &x [1, *x]", "the alias *x stands inside what it names"),
    "a section in itself": ("a: &x {b: {c: *x}}", "the alias *x stands inside what it names"),
    "an alias of nothing": ("a: *x", "found undefined alias 'x'"),
    "an alias bomb": (BOMB, f"at most {MOST_VALUES:,} values, aliases written out"),
    "a long list": ("[" + "1, " * 20_000 + "]", f"at most {MOST_VALUES:,} values"),
    "a large document": ("#" * (LARGEST_BYTES + 1), "must hold at most 256 KiB"),
    "a null byte": ("a: \0", "text holds the control character U+0000"),
    "an escaped null byte": ('a: 1\nb: "x\\0y"', "at line 2: text holds the control character U+0000"),
    "half a character": ('a: "\\ud800"', "text holds the control character U+D800"),
    "an escape sequence": ('a: "\\e[31m"', "text holds the control character U+001B"),
    "an object": ("a: !!python/object/apply:os.system [ls]", "python/object/apply:os.system is not read"),
    "a tag of one's own": ("a: !mine 3", "the tag !mine is not read"),
    "a tagged date": ("a: !!timestamp 2001-01-01", "is not read; remove it"),
    "a list as a key": ("? [1, 2]\n: 3", "a key must be one word"),
    "a section as a key": ("{a: 1}: 3", "a key must be one word"),
    "two documents": ("a: 1\n---\nb: 2", "it holds several documents"),
    "tabs": ("a:\n\tb: 1", "is not valid YAML at line 2"),
    "nothing to merge": ("a: {<<: 3}", "for merging"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_plain_and_bounded_is_refused(case: str) -> None:
    text, told = REFUSED[case]
    with pytest.raises(UserError) as caught:
        parse_yaml(text, "it")
    sentence = str(caught.value)
    assert told in sentence
    assert sentence.startswith("it ")
    assert len(sentence) <= 280
    assert sentence.isprintable()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("2E3", 2e3),
        (".5", 0.5),
        ("1.", 1.0),
        ("-3", -3),
        ("1_000", 1000),
        ("010", 10),
        ("0x1F", 31),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("2001-99-99", "2001-99-99"),
        ("'3'", "3"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("~", None),
        ("yes", True),
        ("=", "="),
        (str(2**63 - 1), 2**63 - 1),
    ],
)
def test_values_are_what_people_mean(text: str, value: object) -> None:
    read = parse_yaml(text, "it")
    assert read == value
    assert type(read) is type(value)
    assert math.isnan(parse_yaml(".nan", "it"))


def test_aliases_and_merges_within_bounds_are_read() -> None:
    text = "base: &base {lr: 1, decay: 2}\nother: {<<: *base, lr: 3}\nagain: *base\n"
    base = {"lr": 1, "decay": 2}
    assert parse_yaml(text, "it") == {"base": base, "other": {"lr": 3, "decay": 2}, "again": base}


def test_the_limits_themselves_are_allowed() -> None:
    assert len(parse_yaml("[" + "1, " * (MOST_VALUES - 1) + "]", "it")) == MOST_VALUES - 1
    assert parse_yaml("[" * DEEPEST + "]" * DEEPEST, "it")
    assert parse_yaml("a: 1 " + "#" * (LARGEST_BYTES - 5), "it") == {"a": 1}


def test_text_from_elsewhere_is_plain_too() -> None:
    check_text("runs/λ 1.yaml", "a path")
    with pytest.raises(
        UserError, match=r"a path must be plain text, got the control character U\+0007 in 'a\\x07b'"
    ):
        check_text("a\x07b", "a path")
