"""A field belongs to its member: carried where the member has it, left behind where not, refused where nobody has."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep
from explorer.sweep.sections import check_fields, lay_over, members_in_play, variable_paths, words_of
from explorer.sweep.space import Space
from explorer.sweep.space_section import parse_space
from tests.explorer.sweep.refusal import refusal

CASES = {
    "objective.lamda=1": "warmup, lam, critic, form, sharpness, cover, calibrated, lams, saturating; "
    "did you mean 'lam'?",
    "constraint.lipschitz=3": "unknown key 'constraint.lipschitz': constraint 'none' has no 'lipschitz'",
    "space={constraint.lipschitz: [1, 2]}": "space.constraint.lipschitz changes nothing: constraint 'none' has no",
    "space={objective.name: [kl], objective.lam: [1]}": "objective.lam changes nothing: objective 'kl' has no 'lam'",
    "space={objective: [{name: kl, lam: 3}]}": "'objective.lam': objective 'kl' has no 'lam', only likelihood",
    "space={objective: [{name: pr, lam: 3}, {name: hinge, lam: 3}]}": "objective 'hinge' has no 'lam'",
    "space={objective: [{name: prr}]}": "'objective.name' cannot be 'prr'; did you mean 'pr'?",
    "space={objective.name: [prr]}": "'objective.name' cannot be 'prr'; did you mean 'pr'?",
    "space={training: [{iteration: 5}]}": "section 'training' has no 'iteration'",
    "training.warmup=3": "unknown key 'training.warmup': it is 'objective.warmup' now",
    "model.couplings=4": "model 'mlp_gan' has no 'couplings', only generator, critic, latent, slope, bounded",
}  # fmt: skip


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    assert CASES[assignment] in refusal(assignment)


def space(raw: object) -> Space:
    return parse_space(raw, variable_paths())


def test_a_point_is_laid_over_the_file() -> None:
    base = {"objective": {"name": "pr", "critic": "chi2"}, "training": {"ema": 0.9}}
    laid = lay_over(base, {"objective.lam": 3, "training.ema": 0.5})
    assert laid["objective"] == {"name": "pr", "critic": "chi2", "lam": 3}
    assert laid["training"] == {"ema": 0.5}
    assert laid["dataset"] == {}
    assert base["training"] == {"ema": 0.9}, "the file's own sections are left alone"


def test_fields_of_another_member_stay_behind() -> None:
    base = {"objective": {"name": "pr", "lam": 7, "likelihood": 0.5}}
    assert lay_over(base, {"objective.name": "kl"})["objective"] == {"name": "kl", "likelihood": 0.5}
    assert lay_over(base, {"objective.name": "kl", "objective.lam": 3})["objective"] == {
        "name": "kl",
        "likelihood": 0.5,
    }
    assert lay_over(base, {"objective": {"name": "kl"}})["objective"] == {"name": "kl", "likelihood": 0.5}
    assert lay_over(base, {"objective.name": "pr"})["objective"]["lam"] == 7


def test_what_an_option_of_a_section_says_itself_must_fit() -> None:
    base = {"objective": {"lam": 7}}
    assert lay_over(base, {"objective": {"name": "kl", "lam": 3}})["objective"] == {"name": "kl", "lam": 3}


def test_a_field_of_the_file_reaches_the_members_that_have_it() -> None:
    sweep = load_sweep(
        "demo",
        [
            "objective={lam: 7}",
            "space={objective.name: [kl, pr]}",
            "constraint={name: spectral, lipschitz: 2}",
        ],
    )
    kl, pr = (sweep.trial(point, 0) for point in sweep.space.grid())
    assert not hasattr(kl.objective, "lam")
    assert pr.objective.lam == 7.0  # type: ignore[attr-defined]
    assert kl.constraint.lipschitz == pr.constraint.lipschitz == 2.0  # type: ignore[attr-defined]


def test_a_field_of_a_member_that_some_trial_has_is_no_fault() -> None:
    load_sweep("demo", ["constraint.lipschitz=3", "space={constraint.name: [none, spectral]}"])
    load_sweep("demo", ["objective={name: kl, lam: 3}", "space={objective.name: [pr, gan]}"])
    sweep = load_sweep("demo", ["model={couplings: 6}", "space={model.name: [mlp_gan, realnvp]}"])
    assert [sweep.trial(p, 0).params().get("model.couplings") for p in sweep.space.grid()] == [None, 6]


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        (None, ["pr"]),
        ({"objective.lam": [1]}, ["pr"]),
        ({"objective.name": ["kl", "gan"]}, ["kl", "gan"]),
        ([{"objective.name": ["kl"]}, {"training.ema": [0.9]}], ["kl", "pr"]),
        ({"objective": [{"name": "kl"}, {"lam": 3}]}, ["kl", "pr"]),
        ({"objective": [{"name": "kl"}, {"name": "hinge"}]}, ["kl", "hinge"]),
        ({"objective": {"choice": [{"name": "kl"}]}}, ["kl"]),
    ],
)
def test_members_in_play_are_those_that_some_trial_may_have(raw: object, names: list[str]) -> None:
    assert [kind.name for kind in members_in_play({}, space(raw), "objective")] == names


def test_the_member_of_the_file_is_in_play_where_the_space_names_none() -> None:
    base = {"objective": {"name": "hinge"}}
    assert [k.name for k in members_in_play(base, space({"training.ema": [0.9]}), "objective")] == ["hinge"]
    assert [k.name for k in members_in_play(base, space({"objective.name": ["kl"]}), "objective")] == ["kl"]
    check_fields(base, space({"training.ema": [0.9]}))


def test_every_field_of_every_member_can_vary_and_whole_numbers_are_known() -> None:
    paths = variable_paths()
    assert paths["training.batch_size"]
    assert paths["objective.warmup"], "a whole number or nothing is a whole number"
    assert not paths["objective.lam"]
    assert not paths["model.generator"]
    assert {"model", "model.name", "model.size", "model.couplings", "constraint.lipschitz", "dataset"} <= set(
        paths
    )
    assert not any(path.split(".")[0] in ("refinement", "evaluation") for path in paths)


class _Unwanted:
    """Stands for an installed package that must not be imported unless it is named."""

    name = "unwanted"

    def load(self) -> object:
        raise ImportError("not for this sweep")


def test_packages_are_imported_only_if_the_sweep_mentions_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainables.family._entries", lambda group: (_Unwanted(),))
    assert "model.couplings" in variable_paths()
    assert "model.couplings" in variable_paths({"other"})
    with pytest.raises(UserError, match="'unwanted' cannot be imported: ImportError: not for this sweep"):
        variable_paths({"unwanted"})


def test_words_are_every_text_inside_plain_data() -> None:
    assert words_of({"a": "x", "b": ["y", {"c": "z", "d": 3}], "e": None}) == {"x", "y", "z"}
    assert words_of("x") == {"x"}
    assert words_of(3) == set()


@pytest.mark.parametrize("path", ["refinement.budgets", "evaluation.k", "refinement", "evaluation"])
def test_a_space_over_what_is_read_is_refused_with_a_reason(path: str) -> None:
    section = path.split(".")[0]
    told = refusal(f"space={{{path}: [[1], [2]]}}")
    assert told.startswith(f"space.{path}: a space varies what is trained, and '{section}' says what is read")
    assert f"write it in the section '{section}'" in told
