"""GLOW of given sizes, and at that of the thesis."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from explorer.sweep.members import build_member
from trainables.models import MODELS
from trainables.models.glow import Glow


def parameters(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def test_the_thesis_has_the_sizes_of_its_appendix() -> None:
    # Vérine 2024, C.1.3: three levels of 16 couplings of 512 channels; a critic 1024-1024-512-256-1 of 1.7M parameters.
    member = build_member(MODELS, {"name": "glow", "size": "thesis"}, "model")
    assert isinstance(member, Glow)
    assert (member.levels, member.steps, member.width, member.split) == (3, 16, 512, False)
    assert parameters(member.build_critic((1, 32, 32), None)) == pytest.approx(1.7e6, rel=0.01)
    # It prints 85.2M for the flow; 3×3, 1×1 and 3×3 convolutions, as Kingma & Dhariwal have them, make fewer.
    assert parameters(member.build_generator((1, 32, 32), None)) == pytest.approx(22.1e6, rel=0.01)


def test_small_is_the_default() -> None:
    assert build_member(MODELS, {"name": "glow", "size": "small"}, "model") == Glow()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"levels": 0}, "model.levels must be positive and finite, got 0"),
        ({"steps": 0}, "model.steps must be positive and finite, got 0"),
        ({"width": -1}, "model.width must be positive and finite, got -1"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Glow(**fields)
    assert str(refusal.value) == sentence


def test_points_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^model glow needs images"):
        Glow().check_data((2,), None)
