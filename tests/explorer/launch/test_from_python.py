"""The Python API on real Ray and MLflow: page and docstrings run as printed, in a runtime that was there before."""

from __future__ import annotations

import doctest
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray

import explorer.api as te
from explorer.launch.engine.engine import joined_address
from tests.explorer.launch.conftest import PACKAGE
from tests.stores import empty_store

pytestmark = pytest.mark.cluster

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory, ray_address: str) -> Iterator[str]:
    """A process that joined Ray by itself, in a folder of its own, with an empty store; its runtime's address."""
    folder = tmp_path_factory.mktemp("notebook")
    empty_store(folder / "home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRADEOFF_HOME", str(folder / "home"))
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        patch.chdir(folder)
        ray.init(address=ray_address, log_to_driver=False, logging_level="ERROR")
        yield ray_address
        ray.shutdown()


def test_the_page_and_the_examples_run_as_printed(notebook: str, capsys: pytest.CaptureFixture[str]) -> None:
    environment, level = dict(os.environ), logging.getLogger("ray").level
    space: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), space)
    assert Path("ring.html").exists()
    told = capsys.readouterr()
    assert "6 trials" in told.err
    assert "sweep ring: 6 trials" in told.out, "what the page prints, and nothing else"
    assert not re.search(r"(?i)traceback|warning|ray", told.out + told.err)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name in te.__all__:
        text = getattr(te, name).__doc__ or ""
        runner.run(parser.get_doctest(text, space, name, None, None), clear_globs=False)
        space |= runner.test.globs  # examples go on from each other
    assert (runner.failures, runner.tries > 15) == (0, True)
    assert ray.is_initialized(), "the runtime that was there before is left running"
    assert dict(os.environ) == environment
    assert logging.getLogger("ray").level == level


def test_own_members_are_imported_from_where_they_lie(notebook: str, tmp_path: Path) -> None:
    apart = tmp_path / "apart"
    apart.mkdir()
    (apart / "ours.py").write_text(PACKAGE)
    (apart / "mine.yaml").write_text(
        "plugins: [ours]\nspace: {objective.name: [louder], objective.gain: [1, 3]}\n"
    )
    small = {
        "training": {"iterations": 10, "batch_size": 8},
        "evaluation": {"samples": 50, "every": 10},
        "resources.pack": 2,
    }
    outcome = te.run_sweep(te.load_sweep(apart / "mine.yaml", small), address=notebook, progress=False)
    assert (outcome.trials, outcome.finished) == (2, 2)


def test_another_cluster_than_the_one_we_are_in_is_refused(notebook: str) -> None:
    with pytest.raises(te.UserError, match=f"in the Ray runtime at '{notebook}' already, .* '1.2.3.4:5'"):
        te.run_sweep("demo", address="1.2.3.4:5", progress=False)
    assert joined_address("auto") == joined_address(None) == notebook
