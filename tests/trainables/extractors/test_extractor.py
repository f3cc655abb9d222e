"""An extractor is a config that builds; nothing else is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from trainables.extractors import EXTRACTORS, FeatureExtractor


def test_it_must_build_and_takes_no_argument_unless_it_says_so() -> None:
    @dataclass(frozen=True)
    class Idle(FeatureExtractor):
        name: ClassVar[str] = "idle"

    assert Idle.argument is None
    with pytest.raises(ValueError, match=r"Idle must define build$"):
        EXTRACTORS.add(Idle)
