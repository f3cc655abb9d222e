"""What a run says of itself holds wherever it goes, and is the same again on the way back."""

from __future__ import annotations

import pytest

from explorer.store.travel import packed_tags, store_setting, unpacked_tags

HERE, THERE = "a" * 32, "b" * 32
FILE = "sqlite:////data/my runs/mlflow.db"
SERVER = "http://somebody:secret@mlflow.example:5000"


def told(run: str, setting: str) -> dict[str, str]:
    """A picture, and a command as it stands in a tag and, over several lines, in a description."""
    command = f"{setting}mlflow artifacts download -r {run} -a repeat.yaml && tradeoff sweep x/repeat.yaml"
    block = command.replace(" -r ", " \\\n  -r ")
    return {
        "note": f"![s](get-artifact?run_uuid={run})\n```\n{block}\n```",
        "command": command,
        "x": "mlflow",
    }


@pytest.mark.parametrize("here", [FILE, SERVER, "sqlite:///it's.db"])
@pytest.mark.parametrize("there", [FILE, SERVER, "sqlite:///it's.db"])
def test_links_and_commands_are_those_of_the_new_place(here: str, there: str) -> None:
    packed = packed_tags(told(HERE, store_setting(here)), HERE)
    assert packed == told("{this-run}", "{this-store}")
    assert unpacked_tags(packed, THERE, there) == told(THERE, store_setting(there))


def test_a_server_is_not_spelled_out() -> None:
    assert store_setting(SERVER) == ""
    assert store_setting(FILE) == f"MLFLOW_TRACKING_URI='{FILE}' "


@pytest.mark.parametrize("run", ["", "a", "tag"])
def test_a_run_of_an_odd_name_leaves_words_as_they_are(run: str) -> None:
    assert packed_tags({"key": "a tag of a run"}, run) == {"key": "a tag of a run"}
