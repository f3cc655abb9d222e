"""What a runtime has, asked of the one that tests share."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.launch.engine.offer import offered
from tests.explorer.launch.test_run import closed_port


def test_a_runtime_tells_what_it_has(ray_address: str) -> None:
    nodes, cores, gpus = offered(ray_address)
    assert nodes == 1
    assert cores >= 1
    assert gpus >= 0


def test_where_nobody_answers_that_is_told() -> None:
    with pytest.raises(UserError, match="no Ray cluster answers"):
        offered(f"127.0.0.1:{closed_port()}")
