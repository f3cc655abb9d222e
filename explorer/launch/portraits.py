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
from explorer.store.schema import COMMAND, NOTE, REPEAT_FILE, SWEEP_FILE, THIS_RUN
from explorer.store.travel import store_setting
from explorer.sweep.sweep import Sweep
from explorer.tracking import Summary, TrialRun

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
        brought = brought_files(sweep.plugins)
        self._fetched = list(brought)
        self._brought = {name: content for files in brought.values() for name, content in files.items()}

    def of(self, planned: PlannedTrial) -> TrialRun:
        """As its run begins. A launch that only reads a finished trial again does not say that it trained it."""
        params = planned.config.params()
        command = self._command(planned.id)
        again = planned.is_read_again
        own = {} if again else {**self._tags, NOTE: self._describe(params, command, False), COMMAND: command}
        trial = Trial(planned.id, "", "running", params, {})
        files: dict[str, bytes | str] = {}
        if not again:
            files = {REPEAT_FILE: repeat_yaml(trial, self._sweep.name, self._document), **self._brought}
        return TrialRun(planned.id, params, self._name(params), own, files=files)

    def finished(self, planned: PlannedTrial) -> dict[str, str]:
        """Tags once it is over and has a picture."""
        return {NOTE: self._describe(planned.config.params(), self._command(planned.id), True)}

    def _describe(self, params: Mapping[str, Scalar], command: str, pictured: bool) -> str:
        return trial_description(self._name(params), params, self._varied, command, pictured)

    def _command(self, trial: str) -> str:
        """One line for a shell, wherever the store is reached."""
        return self._again(REPEAT_FILE, f"repeat-{trial}")

    def _again(self, file: str, folder: str) -> str:
        fetch = f"{self._store}mlflow artifacts download -r {THIS_RUN} -a "
        fetched = "".join(f"{fetch}{name} -d {folder} && " for name in (file, *self._fetched))
        return f"{fetched}tradeoff sweep {folder}/{file}"

    def whole(self) -> Summary:
        """What the sweep's own run says of its newest launch, before anything is measured."""
        command = self._again(SWEEP_FILE, f"repeat-{self._sweep.name}")
        return Summary(0, {}, {**self._tags, COMMAND: command}, self._brought)
