"""Options of commands that refine, and models in files through both of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from explorer import api
from explorer.cli import command_line
from explorer.cli.refining import changes_of, latent_of, named_model
from explorer.errors import UserError
from tests.explorer.cli.running import Ran, ran, refusal
from tests.explorer.refining.stored_trials import RING, stored, table_of
from tests.trainables.samplers.given import archive, folder
from tests.trainables.samplers.scripts import Constant, Critic, Generator, Images, Judge, saved

OPTIONS = {
    "--method", "--ratio", "--calibration", "--set", "--seed", "--device", "--critic", "--real", "--latent", "--scores",
    "--json", "--tracking-uri", "--experiment",
}  # fmt: skip


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with models of Q = N(0, 1) and data of P = N(1, 1), and images of both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    real = np.random.default_rng(5).normal(1, 1, (1200, 1)).astype(np.float32)
    np.savez("real.npz", samples=real)
    archive(Path("scored.npz"), real_scores=real[:, 0] - 0.5)
    saved(Generator(), Path("generator.pt"))
    saved(Critic(), Path("critic.pt"))
    saved(Images(), Path("drawer.pt"))
    saved(Judge(), Path("judge.pt"))
    return tmp_path


@pytest.fixture(scope="module")
def trial() -> str:
    """A finished trial, as a command line names it."""
    return next(trial.id for trial in table_of(stored(), RING) if trial.params["objective.name"] == "gan")


@pytest.mark.parametrize("command", ["refine", "sample"])
def test_both_commands_have_the_same_options(command: str) -> None:
    shown = CliRunner().invoke(command_line, [command, "--help"], terminal_width=200).stdout
    group = typer.main.get_command(command_line)
    own = {name for one in group.commands[command].params for name in one.opts}  # type: ignore[attr-defined]
    assert own >= OPTIONS
    assert all(f" {option} " in shown for option in OPTIONS)


def test_a_latent_is_a_shape() -> None:
    assert latent_of(None) is None
    assert (latent_of("128"), latent_of("100,1,1")) == ([128], [100, 1, 1])
    for text in ("", "a", "1.5", "3,", "1;2"):
        with pytest.raises(UserError, match="a latent's shape is whole numbers with commas"):
            latent_of(text)


def test_changes_are_values_by_path() -> None:
    assert changes_of(None) == {}
    assert changes_of(["refinement.rate=0.01", "dataset.root=/data"]) == {
        "refinement.rate": 0.01,
        "dataset.root": "/data",
    }
    with pytest.raises(UserError, match="--set takes path=value, got 'rate'"):
        changes_of(["rate"])


def test_a_name_is_a_trial_or_a_model_in_files(trial: str) -> None:
    uri = stored()
    for run, identity_in_it in ((trial[:5], None), (RING, trial[:5])):
        found, identity = named_model(run, identity_in_it, uri, None)
        assert isinstance(found, api.Results)
        assert identity is not None
        assert (found.table.sweep, found[identity].id) == (RING, trial)
    for path in ("generator.pt", "./no", "missing.npz", "a/b"):
        assert named_model(path, None, uri, None) == (path, None)
    with pytest.raises(UserError, match="name its sweep too"):
        named_model("x" * 5000, None, uri, None)
    with pytest.raises(UserError, match="no sweep 'generator"):
        named_model("generator.pt", trial, uri, None)


def shift(file: str) -> float:
    """Mean of the samples in a file: 0 of the model, 1 of the data."""
    with np.load(file) as arrays:
        return float(arrays["samples"].mean())


def sampled(*arguments: object) -> Ran:
    return ran("sample", *arguments, "-n", 1000, "--out", "out.npz", "--json")


@pytest.mark.parametrize("method", ["obrs", "drs", "rejection", "mh", "dot", "dgflow"])
def test_a_generator_with_its_critic_is_drawn_nearer_to_the_data(method: str) -> None:
    rate = ("--set", "refinement.rate=0.1") if method in ("dot", "dgflow") else ()
    named = ("generator.pt", "--critic", "critic.pt", "--method", method)
    assert sampled(*named).code == 0
    assert abs(shift("out.npz")) < 0.15
    before = shift("out.npz")
    done = sampled(*named, "--budget", 16, *rate)
    assert (done.code, done.err) == (0, "")
    made = json.loads(done.out)
    assert (made["model"], made["method"], made["budget"]) == ("generator generator.pt", method, 16.0)
    assert before + 0.08 < shift("out.npz") < 2


@pytest.mark.parametrize("method", ["obrs", "dgflow", "hard_truncation"])
def test_a_generator_is_measured_against_real_samples(method: str) -> None:
    named = ("generator.pt", "--critic", "critic.pt", "--real", "real.npz", "--method", method)
    done = ran("refine", *named, "--budgets", "2", "--samples", 300, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert (found["model"], list(found["budgets"])) == ("generator generator.pt", ["1", "2"])
    assert "run" not in found
    calibrated = {"source": "critic", "calibration": "slope"}
    assert found["ratio"] == (None if method == "hard_truncation" else calibrated)
    plain, bought = (found["budgets"][budget]["metrics"]["fid"] for budget in ("1", "2"))
    assert (bought < plain) == (method != "hard_truncation")


def test_a_classifier_stands_in_for_a_critic() -> None:
    named = ("generator.pt", "--real", "real.npz", "--budgets", "2", "--samples", 200)
    assert refusal("refine", *named).endswith(
        "give a critic with --critic, or real samples and --ratio classifier"
    )
    found = json.loads(ran("refine", *named, "--ratio", "classifier", "--json").out)
    assert found["ratio"] == {"source": "classifier", "calibration": "slope"}
    assert found["budgets"]["2"]["metrics"]["fid"] < found["budgets"]["1"]["metrics"]["fid"]


def test_a_latent_is_given_where_the_generator_does_not_say_it() -> None:
    saved(Constant(0.5, 2), Path("silent.pt"))
    assert "the generator silent.pt does not say how many numbers a latent has" in refusal(
        "sample", "silent.pt", "--out", "out.npz"
    )
    assert ran("sample", "silent.pt", "--latent", "3,2", "--out", "out.npz").code == 0
    with np.load("out.npz") as arrays:
        assert arrays["samples"].tolist() == [[0.5, 0.5]] * 64


def test_a_generator_of_images_fills_a_folder() -> None:
    done = ran("sample", "drawer.pt", "--critic", "judge.pt", "--budget", 2, "-n", 5, "--out", "images")
    assert (done.code, done.err) == (0, "")
    assert sorted(file.name for file in Path("images").iterdir()) == [
        *(f"{place:05}.png" for place in range(5)), "ledger.json",
    ]  # fmt: skip


def test_samples_with_scores_are_chosen_from() -> None:
    assert sampled("scored.npz").code == 0
    assert abs(shift("out.npz")) < 0.15
    assert sampled("scored.npz", "--budget", 4).code == 0
    assert shift("out.npz") > 0.5
    found = json.loads(ran("refine", "scored.npz", "--real", "real.npz", "--budgets", "2", "--json").out)
    assert found["ratio"] == {"source": "scores", "calibration": "slope"}
    assert found["settings"]["samples"] == 600  # half of the real ones are held out
    assert found["budgets"]["2"]["metrics"]["fid"] < found["budgets"]["1"]["metrics"]["fid"]
    assert "cannot be sampled: refinement 'dot' moves draws" in refusal(
        "sample", "scored.npz", "--method", "dot", "--budget", 2, "--out", "out.npz"
    )


def test_samples_without_scores_are_scored_by_a_classifier() -> None:
    with np.load("scored.npz") as arrays:
        np.savez("plain.npz", samples=arrays["samples"])
    named = ("plain.npz", "--real", "real.npz", "--budget", 4)
    assert "must have an array 'scores' beside 'samples'" in refusal("sample", *named, "--out", "out.npz")
    assert sampled(*named, "--ratio", "classifier").code == 0
    assert shift("out.npz") > 0.5


def test_a_folder_of_images_with_scores_is_chosen_from() -> None:
    folder(Path("drawn"), 40)
    lines = [f"{place:04}.png,{0.9 if place < 10 else 0.1}" for place in range(40)]
    Path("drawn", "scores.csv").write_text("\n".join(["name,score", *lines]))
    named = ("drawn/", "--scores", "probability", "--budget", 4)
    done = ran("sample", *named, "-n", 5, "--out", "kept", "--json")
    assert (done.code, done.err) == (0, "")
    likely = {(Path("drawn") / f"{place:04}.png").read_bytes() for place in range(10)}
    kept = [file.read_bytes() for file in Path("kept").glob("*.png")]
    assert len(kept) == 5
    assert len(likely.intersection(kept)) >= 3


OTHERS: list[tuple[tuple[object, ...], str]] = [
    (("scored.npz", "--critic", "critic.pt"), "a critic scores those of a generator; give one of both"),
    (("scored.npz", "--latent", "3"), "a latent is what a generator takes, and samples are made already"),
    (("scored.npz", "--calibration", "isotnic"), "the calibration cannot be 'isotnic'"),
    (("generator.pt", "--scores", "odds"), "scores must be read as one of logit, probability, ratio, got 'odds'"),
    (("generator.pt", "--critic", "critic.pt", "--scores", "ratio"), "scores of the critic critic.pt must be ≥ 0"),
    (("generator.pt", "--latent", "0"), "every number of the latent's shape must be a whole number from 1 "),
    (("generator.pt", "--critic", "missing.pt"), "there is no file "),
    (("missing.pt",), "there is no file "),
    (("generator.pt", "--set", "dataset.root=x"), "--set changes refinement or evaluation of a model in files"),
    (("generator.pt", "--set", "model.latent=3"), "of a trained model refinement, evaluation and dataset can be set"),
    (("real.npz",), "must have an array 'scores' beside 'samples'"),
    (("critic.pt", "--critic", "critic.pt"), "the generator critic.pt does not say how many numbers a latent has"),
    (("~nobody-of-that-name/generator.pt",), "must begin with a user of this machine after its '~'"),
    (("x" * 300 + ".pt",), "255 a name"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), OTHERS)
def test_options_that_do_not_fit_a_model_in_files_are_one_sentence(
    options: tuple[object, ...], sentence: str, place: Path
) -> None:
    before = sorted(place.iterdir())
    assert sentence in refusal("sample", *options, "--out", "out.npz")
    assert sentence in refusal("refine", *options, "--real", "real.npz")
    assert sorted(place.iterdir()) == before


def test_a_label_and_a_trial_are_not_of_a_model_in_files() -> None:
    assert "--label is of a trial" in refusal("sample", "generator.pt", "--label", 3, "--out", "out.npz")
    told = "a model in files is measured against real samples; give them with --real"
    assert told in refusal("refine", "generator.pt", "--critic", "critic.pt")


@pytest.mark.parametrize(
    "option", [("--critic", "critic.pt"), ("--real", "real.npz"), ("--latent", "3"), ("--scores", "ratio")]
)
def test_options_of_models_in_files_are_refused_of_a_trial(trial: str, option: tuple[str, str]) -> None:
    sentence = f"{option[0][2:]} belongs to a model in files, and a trial has its own; leave it out"
    assert refusal("refine", trial, *option, "--tracking-uri", stored(), "--no-log") == sentence
    assert refusal("sample", trial, *option, "--tracking-uri", stored(), "--out", "a.npz") == sentence


def test_what_is_read_is_not_written_over() -> None:
    before = Path("scored.npz").read_bytes()
    assert "which is read; give another name" in refusal("sample", "scored.npz", "--out", "./scored.npz")
    named = ("refine", "scored.npz", "--real", "real.npz")
    for page in ("scored.npz", "real.npz"):
        assert "which is read; give another name" in refusal(*named, "--html", page)
    assert Path("scored.npz").read_bytes() == before
