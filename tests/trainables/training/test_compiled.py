"""Compiling: the same function, and a sentence where it cannot be done."""

from collections.abc import Callable

import pytest
import torch

from trainables.training.compiled import check_compiler, compiled


@pytest.mark.parametrize(
    ("device", "needed"), [("cpu", r"C\+\+ compiler, and g\+\+ is"), ("cuda", "C compiler, and gcc or")]
)
def test_a_missing_compiler_is_named(device: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_compiler(torch.device(device))
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ValueError, match=rf"^training\.compile needs a {needed}"):
        check_compiler(torch.device(device))
    monkeypatch.setenv("CXX", "mine++")
    if device == "cpu":
        with pytest.raises(ValueError, match=r"and mine\+\+ is not on the PATH; install it, or leave"):
            check_compiler(torch.device(device))


def test_what_is_compiled_computes_the_same() -> None:
    def slices(x: torch.Tensor) -> torch.Tensor:
        bent = torch.nn.functional.leaky_relu(x, 0.2)
        return torch.cat([bent[:, a : a + 3] for a in range(4)], dim=1)

    x = torch.randn(2, 6, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(compiled(slices)(x), slices(x))


def test_one_function_after_another_is_compiled() -> None:
    """Each has compilations of its own, where torch would count those of all that share a piece of code."""

    def scaled(factor: int) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda x: factor * x.sin()

    x = torch.ones(3)
    with torch._dynamo.config.patch(recompile_limit=1, fail_on_recompile_limit_hit=True):
        for factor in (2, 3, 4):
            torch.testing.assert_close(compiled(scaled(factor))(x), scaled(factor)(x))
