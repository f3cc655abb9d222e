"""Compiling: the same function, and a sentence where it cannot be done."""

import pytest
import torch

from trainables.training.compiled import compiled


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match=r"training\.compile needs a C compiler"):
        compiled(torch.sin)


def test_what_is_compiled_computes_the_same() -> None:
    def slices(x: torch.Tensor) -> torch.Tensor:
        bent = torch.nn.functional.leaky_relu(x, 0.2)
        return torch.cat([bent[:, a : a + 3] for a in range(4)], dim=1)

    x = torch.randn(2, 6, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(compiled(slices)(x), slices(x))
