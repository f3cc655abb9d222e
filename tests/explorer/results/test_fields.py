"""Metrics and parameters are explained in a sentence; what is not known is not explained."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.results.catalogue import Catalogue, built_in
from explorer.results.columns import Columns
from explorer.results.fields import sentence, sentence_in
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN
from trainables.config import TrialConfig
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.spectral import Spectral
from trainables.datasets.digits import Digits
from trainables.metrics.metric import Entry
from trainables.models.glow import Glow
from trainables.objectives.fgan import KL
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.start import Start

OWN = Catalogue.of([Entry("objective.lam", "Mine", "A metric that is called like a parameter.")])


def test_metrics_are_explained_by_the_catalogue() -> None:
    known = built_in()
    for key, entry in known.entries.items():
        assert sentence(key, known) == entry.sentence
        assert sentence(f"obrs/2/{key}", known) == entry.sentence
    assert sentence("fid.high", known) == "The upper end of the interval of fid at 95%."
    assert sentence("fid.high.low", known) == ""
    assert sentence("objective.lam", OWN) == "A metric that is called like a parameter."
    assert sentence("fid", OWN) == "", "what another catalogue says of it may be wrong here"


@pytest.mark.parametrize(
    "config",
    [
        TrialConfig(objective=PR(lam=2.0), constraint=Bjorck(), generator_constraint=Spectral()),
        TrialConfig(objective=KL(), start=Start("0" * 12)),
        TrialConfig(objective=MaximumLikelihood(), model=Glow(), dataset=Digits(size=16)),
    ],
)
def test_every_parameter_of_a_run_is_explained(config: TrialConfig) -> None:
    for path, value in config.params().items():
        member = getattr(getattr(config, path.partition(".")[0]), "name", None)
        assert sentence(path, built_in()).endswith("."), path
        assert sentence(path, built_in(), member).endswith("."), (path, value)


def test_the_sentence_is_that_of_the_member() -> None:
    glow, residual = (sentence("model.width", built_in(), name) for name in ("glow", "residual"))
    assert glow == "Channels of the networks in the couplings."
    assert residual == "Hidden width of every g."
    both = sentence("model.width", built_in())
    assert glow.removesuffix(".") in both
    assert residual.removesuffix(".") in both
    assert sentence("model.width", built_in(), "mlp_gan") == "", "it has no width"
    assert sentence("model.width", built_in(), "mine") == "", "a user's own member"


def test_names_tell_which_members_there_are_and_what_one_is() -> None:
    told = sentence("constraint.name", built_in())
    assert told.startswith("What holds the critic's slopes down: ")
    assert "spectral" in told
    assert sentence("objective.name", built_in(), "kl") == "Kullback-Leibler, f(u) = u log u."


@given(st.text(max_size=30), st.none() | st.text(max_size=10))
def test_whatever_others_have_stored_is_passed_over(path: str, member: str | None) -> None:
    assert sentence(f"their.{path}", built_in(), member) == ""
    assert sentence(f"training.{path}.{path}", built_in(), member) == ""


def _columns(*params: dict[str, Scalar]) -> Columns:
    trials = (Trial(str(row), str(row), "finished", own, {PLAIN: {}}) for row, own in enumerate(params))
    return Columns(TrialTable("made", (), tuple(trials)))


def test_a_table_asks_the_members_that_it_has() -> None:
    one = _columns({"model.name": "glow", "model.width": 8})
    assert sentence_in(one, "model.width") == sentence("model.width", built_in(), "glow")
    two = _columns({"model.name": "glow", "model.width": 8}, {"model.name": "mine", "model.width": 8})
    assert sentence_in(two, "model.width") == sentence("model.width", built_in(), "glow")
    assert sentence_in(_columns({"model.name": "mine"}), "model.width") == ""
    assert sentence_in(_columns({"model.width": 3}), "model.width") == sentence("model.width", built_in())
    assert sentence_in(one, "fid") == built_in().entries["fid"].sentence
    assert sentence_in(one, "seed").startswith("What all random numbers")


def test_members_of_others_are_explained_by_the_sweep() -> None:
    fields = {
        "model.mine.width": "How wide mine is.",
        "model.mine.name": "A model of mine.",
        "model.mine.deep.width": "No field of it.",
        "model.glow.width": "Ours knows better.",
    }
    catalogue = Catalogue.of([], fields=fields)
    assert sentence("model.width", catalogue, "mine") == "How wide mine is."
    assert sentence("model.name", catalogue, "mine") == "A model of mine."
    assert sentence("model.width", catalogue, "glow") == "Channels of the networks in the couplings."
    assert "of mine: How wide mine is" in sentence("model.width", catalogue)
    assert ", mine" in sentence("model.name", catalogue)
    assert sentence("model.width", built_in(), "mine") == "", "of another sweep"


def test_explaining_loads_neither_torch_nor_the_sweep() -> None:
    program = """
import sys
from explorer.results.catalogue import built_in
from explorer.results.fields import sentence
from explorer.results.known_fields import MEMBER_SECTIONS, SETTINGS
for section in (*MEMBER_SECTIONS, *SETTINGS):
    sentence(f"{section}.name", built_in())
heavy = [name for name in sys.modules if name.split(".")[0] in ("torch", "ray", "optuna", "streamlit")]
print(heavy + [name for name in sys.modules if name.startswith(("explorer.sweep", "explorer.search"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
