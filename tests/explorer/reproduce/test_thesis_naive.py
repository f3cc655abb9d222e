"""The naive PR-GAN falls silent, PR-GAN covers more; the table tells what is drawn."""

from __future__ import annotations

import re

from tests.explorer.reproduce.built import built, traces


def _modes(row: int) -> list[int]:
    return [int(found) for found in re.findall(r": (\d) of 8", built("thesis-5.3")[0].numbers[row].computed)]


def test_naive_covers_fewer_modes_at_every_lam() -> None:
    naive, proposed = _modes(0), _modes(1)
    assert len(naive) == len(proposed) == 3
    assert all(few < many for few, many in zip(naive, proposed, strict=True))
    assert proposed == sorted(proposed, reverse=True)  # small λ asks for recall
    assert proposed[0] == 8


def test_naive_gradients_die_and_the_others_do_not() -> None:
    lines = traces("thesis-5.3", 1)
    assert len(lines) == 6
    for name, line in lines.items():
        ratio = max(line.y[-3:]) / max(line.y[:3])
        assert ratio < 0.2 if name.startswith("naive") else ratio > 0.05, name
    quiet = [max(line.y[-3:]) for name, line in lines.items() if name.startswith("naive")]
    loud = [min(line.y[-3:]) for name, line in lines.items() if name.startswith("PR")]
    assert max(quiet) < min(loud)
