"""What a trial's run says of the trial beside what is measured: its name, where it comes from, how it is repeated."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.launch.brought_files import brought_files
from explorer.launch.packing import PlannedTrial
from explorer.launch.places import tracking_uri
from explorer.launch.provenance import provenance
from explorer.launch.run_names import run_names, varied_paths
from explorer.portrait.descriptions import trial_description
from explorer.results.repeat import repeat_yaml
from explorer.results.table import Scalar, Trial
from explorer.store.schema import COMMAND, NOTE, REPEAT_FILE, REPEAT_FOLDER, TAG_LIMIT, THIS_RUN
from explorer.store.travel import store_setting
from explorer.sweep.sweep import Sweep
from explorer.tracking import Summary, TrialRun
from trainables.config import TrialConfig

__all__ = ["Portraits"]


class Portraits:
    """Of the trials of one launch."""

    def __init__(self, sweep: Sweep, document: str) -> None:
        """``document``: the sweep file as resolved, of which a repetition takes how it is read."""
        self._sweep = sweep
        self._document = document
        self._name = run_names(sweep)
        self._varied = varied_paths(sweep)
        self._tags = provenance(sweep)
        self._store = store_setting(tracking_uri(sweep))
        self._brought = brought_files(sweep.plugins)
        self._places: dict[str, set[str]] = {}

    def of(self, planned: PlannedTrial) -> TrialRun:
        """As its run begins. A launch that only reads a finished trial again does not say that it trained it."""
        params = planned.config.params()
        if planned.is_read_again:
            return TrialRun(planned.id, params, self._name(params))
        command = self._command(f"repeat-{planned.id}")
        own = {**self._tags, NOTE: self._describe(params, command, False), COMMAND: command}
        return TrialRun(planned.id, params, self._name(params), own, files=self._repeat_files(planned))

    def _repeat_files(self, planned: PlannedTrial) -> dict[str, bytes | str]:
        """What it takes to train it once more."""
        config = planned.config
        base = None if config.start is None or config.start.config is None else config.start.config.params()
        trial = Trial(planned.id, "", "running", config.params(), {})
        return {REPEAT_FILE: repeat_yaml(trial, self._sweep.name, self._document, base), **self._brought}

    def name(self, config: TrialConfig) -> str:
        """What the run of a trial is called, as far as this launch knows what varies."""
        return self._name(config.params())

    def pictured(self, planned: PlannedTrial) -> dict[str, str]:
        """Tags of a trial that is over and has a picture; none where it was only read again."""
        if planned.is_read_again:
            return {}
        return {NOTE: self._describe(planned.config.params(), self._command(f"repeat-{planned.id}"), True)}

    def _describe(self, params: Mapping[str, Scalar], command: str, pictured: bool) -> str:
        return trial_description(self._name(params), params, self._varied, command, pictured)

    def _command(self, folder: str) -> str:
        """One line for a shell, wherever the store is reached: however many files, they come at once."""
        fetch = f"{self._store}mlflow artifacts download -r {THIS_RUN} -a {REPEAT_FOLDER} -d {folder}"
        return f"{fetch} && tradeoff sweep {folder}/{REPEAT_FILE}"

    def whole(self) -> Summary:
        """What the sweep's own run says of its newest launch, before anything is measured."""
        command = self._command(f"repeat-{self._sweep.name}")
        return Summary(
            0, {}, {**self._tags, COMMAND: command}, {REPEAT_FILE: self._document, **self._brought}
        )

    def trained(self, tags: Mapping[str, str]) -> None:
        """Trials of this launch were trained there, and on that."""
        for tag, value in tags.items():
            self._places.setdefault(tag, set()).add(value)

    def places(self) -> dict[str, str]:
        """Where this launch trained, and on what, for the sweep's own run; nothing where it did not."""
        return {tag: ", ".join(sorted(values))[:TAG_LIMIT] for tag, values in self._places.items()}
