"""Mangled options of ``tradeoff theory``, drawn from a seed: odd laws, numbers that are none, places for no page."""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["mangled_theory"]

LAWS: tuple[str, ...] = (
    "0.5,0.3,0.2", "1", "1,0", "0,1", "0.5,0.5", "1/3,1/3,1/3", "0.2,0.3,0.5", "1,0,0", "0,0,1", "0,0.5,0.5",
    "0.999999,5e-7,5e-7", "1,1e-30,0", "1,1e-20,1e-25", "0.5,0.5,1e-300", "1,1e-320,0", "1,5e-324",
    "0.3333333,0.3333333,0.3333333",
    "0.5,0.6", "1.5,-0.5", "0,0,0", "nan,1,0", "inf,0,0", "-inf,1,0", "1e400,0,0", "1e-400,1,0", "0.5,half,0", "",
    ",", ",,,", "1,,0", "1;0",
    "1/0,0", "0/0,1", "1/1e400,1", "1e400/1e400,0", "1/3/3,1", "/,1", "1/,0", "1e999999999,0", "1e-999999999,1",
    "9" * 5000,
    "0x1,0", "1_0,0", "１,0", "½,½", "0.5 0.5", "[0.5,0.5]", "0.5,0.5\n", "\x00", "\x1b[31m0.5,0.5", "a" * 5000,
    "true,false", "None",
    ",".join(["0.0005"] * 2000), ",".join(["0.0001"] * 10_000), ",".join(["0"] * 60_000), ",".join(["1"] * 3000),
    "--model", "-",
)  # fmt: skip

TRADE_OFFS: tuple[str, ...] = (
    "0.1,1,10", "0", "1", "1e30", "1e31", "1e300", "1e-300", "1e-320", "0,0,0", "inf", "nan", "-1", "-0.0", "", ",",
    "abc", "1/0", "1/3",
    "1e400", "9" * 400, ",".join(map(str, range(1, 501))), ",".join(map(str, range(5000))), "\x07", "1,2,",
    "1e-30,1e30",
)  # fmt: skip

BUDGETS: tuple[str, ...] = (
    "1", "2", "1.0000000001", "1e6", "1e9", "1e30", "1e31", "1e300", "1e400", "0.5", "0", "-1", "nan", "inf", "-inf",
    "abc", "", "1/2",
    "9" * 400, "9" * 5000, "0x2", "２", "1,5", "1e-320", "\x1b[0m",
)  # fmt: skip

PAGES: tuple[str, ...] = (
    "page.html", "no/such/folder/page.html", ".", "/", "/dev/null/page.html", "/proc/page.html", "/dev/full",
    "~nobody_here/x.html", "",
    "x" * 300, "a/" * 3000, "a\x00b.html", "\x1b[31m.html", "é.html", "..", "-", "a b.html",
)  # fmt: skip


def mangled_theory(seed: int, count: int) -> Iterator[tuple[str, ...]]:
    """``count`` lists of options; equal seeds give equal ones."""
    dice = random.Random(seed)
    for _ in range(count):
        yield tuple(_options(dice))


def _options(dice: random.Random) -> Iterator[str]:
    tame = dice.random() < 0.5  # good laws, so that what is behind them is reached
    fitting = [law for law in LAWS[:17] if law.count(",") == 2]
    for option in ("--real", "--model"):
        if dice.random() < 0.97:
            yield from (option, dice.choice(fitting if tame else LAWS))
    if dice.random() < 0.5:
        yield from ("--lambdas", dice.choice(TRADE_OFFS))
    if dice.random() < 0.6:
        yield from ("--budget", dice.choice(BUDGETS))
    if dice.random() < 0.3:
        yield from ("--html", dice.choice(PAGES))
    if dice.random() < 0.4:
        yield "--json"
    if dice.random() < 0.05:
        yield dice.choice(["--nope", "extra", "--budget", "--real", "--json=3", "x" * 5000])
