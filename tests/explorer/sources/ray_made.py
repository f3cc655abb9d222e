"""A folder as Ray Tune 2 leaves it: three trials, the last of which failed, and what it keeps beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["add_trial", "made_experiment"]

ITS_OWN = {
    "done": False,
    "pid": 7,
    "hostname": "h",
    "node_ip": "::1",
    "date": "2026-01-01_00-00-00",
    "timestamp": 1000,
}


def add_trial(folder: Path, number: int, config: dict[str, Any], reports: list[dict[str, Any]]) -> Path:
    """The folder of a trial."""
    inner = folder / f"train_ab_{number:05}_{number}_2026-01-01_00-00-00"
    inner.mkdir(parents=True)
    (inner / "params.json").write_text(json.dumps(config, indent=2))
    (inner / "params.pkl").write_bytes(b"\x80evil")
    lines = [
        {
            **report,
            **ITS_OWN,
            "trial_id": f"ab_{number:05}",
            "training_iteration": step,
            "time_total_s": 2.5 * step,
        }
        for step, report in enumerate(reports, start=1)
    ]
    (inner / "result.json").write_text(
        "".join(json.dumps({**line, "config": config}) + "\n" for line in lines)
    )
    heading = ["training_iteration", "timestamp", "loss", "deep/fid"]
    rows = [[line["training_iteration"], 1000, line.get("loss", ""), 4.5] for line in lines]
    (inner / "progress.csv").write_text("\n".join(",".join(map(str, row)) for row in [heading, *rows]) + "\n")
    return inner


def made_experiment(folder: Path) -> list[Path]:
    """The experiment ``folder`` with its trials."""
    trials = [
        add_trial(
            folder,
            number,
            {"lr": 0.1 * number, "opt": {"name": "adam", "betas": [0, 0.9]}, "none": None},
            [
                {"loss": 1 / step, "deep": {"fid": 9.0 - number}, "bad": float("nan"), "text": "x"}
                for step in (1, 2)
            ],
        )
        for number in (1, 2, 3)
    ]
    (trials[2] / "error.txt").write_text("Traceback …\n  line\nValueError: no luck\n\n")
    states = [
        [json.dumps({"status": status, "relative_logdir": trial.name, "config": {}}), "{}"]
        for status, trial in zip(("TERMINATED", "TERMINATED", "ERROR"), trials, strict=True)
    ]
    state = {"trial_data": states, "runner_data": {}, "stats": {}}
    (folder / "experiment_state-2026-01-01_00-00-00.json").write_text(json.dumps(state))
    (folder / "tuner.pkl").write_bytes(b"\x80evil")
    return trials
