"""The API as a whole: a dozen names, each documented with an example, and nothing heavy behind an import."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

import explorer.api as te

FUNCTIONS = [name for name in te.__all__ if name[0].islower()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_an_example_that_calls_it(name: str) -> None:
    examples = doctest.DocTestParser().get_examples(getattr(te, name).__doc__)
    assert any(f"te.{name}(" in example.source for example in examples)


def test_importing_it_imports_nothing_heavy() -> None:
    heavy = ("torch", "ray", "mlflow", "optuna", "streamlit", "pandas", "sklearn", "plotly", "numpy")
    code = f"import sys; import explorer.api; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
