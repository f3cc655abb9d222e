"""What runs say of themselves: short enough for a tag, harmless, with a picture and the command that repeats them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.portrait.descriptions import LONGEST, described_sweep, escaped, fitted, trial_description

PARAMS = {
    "dataset.name": "gaussians8",
    "objective.name": "pr",
    "objective.lam": 0.5,
    "training.ema": 0.9,
    "start.from": "aabb",
    "seed": 3,
}
COMMAND = "mlflow artifacts download -r RUN -a repeat.yaml -d here && tradeoff sweep here/repeat.yaml"


def test_a_trial_in_words() -> None:
    told = trial_description("lam 0.5, seed 3", PARAMS, {"objective.lam", "seed"}, COMMAND, pictured=True)
    assert told.startswith(
        "![samples](get-artifact?path=thumb.png&run_uuid={this-run})\n\n**lam 0.5, seed 3**"
    )
    assert (
        "- dataset: gaussians8\n- objective: pr, **λ 0.5**\n- training: ema 0.9\n- start: base aabb\n- **seed 3**"
        in told
    )
    assert told.endswith(
        "```\nmlflow artifacts download \\\n  -r RUN -a repeat.yaml -d here &&\n  tradeoff sweep here/repeat.yaml\n```"
    )


def test_before_it_is_over_there_is_no_picture() -> None:
    assert "get-artifact" not in trial_description("a", PARAMS, set(), COMMAND, pictured=False)


def test_what_means_something_to_markdown_is_escaped() -> None:
    assert escaped("a_b *c* [d](e) <f>") == r"a\_b \*c\* \[d\]\(e\) &lt;f&gt;"
    assert escaped("5$ and 6$") == "5&#36; and 6&#36;"
    assert escaped("a\n# b\x1b") == r"a \# b "


def test_lines_that_do_not_fit_are_counted() -> None:
    lines = [f"- {number}" for number in range(100)]
    assert fitted(lines, 10_000) == "\n".join(lines)
    short = fitted(lines, 60)
    assert len(short.encode()) <= 60
    assert short.startswith("- 0\n- 1\n")
    assert short.endswith(f"- … and {100 - short.count(chr(10))} more")


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=60), st.one_of(st.text(max_size=200), st.floats()), max_size=40
    ),
    st.text(max_size=200),
)
def test_a_trial_of_any_parameters_fits_a_tag(params: dict[str, str | float], name: str) -> None:
    told = trial_description(name, params, set(params), COMMAND, pictured=True)
    assert len(told.encode()) <= LONGEST
    assert "tradeoff sweep here/repeat.yaml" in told


@settings(max_examples=40, deadline=None)
@given(
    st.text(max_size=5000),
    st.lists(st.lists(st.text(max_size=80), min_size=3, max_size=3), max_size=14),
    st.lists(st.text(max_size=300), max_size=30),
)
def test_a_sweep_of_any_words_fits_a_tag(description: str, rows: list[list[str]], audit: list[str]) -> None:
    told = described_sweep(
        description, "3 trials", "front", [["a", "b", "c"], *rows], 5, audit, "#/all", "tradeoff front x"
    )
    assert len(told.encode()) <= LONGEST
    assert told.endswith("```\ntradeoff front x\n```")


def test_a_sweep_lists_its_front_and_counts_the_others() -> None:
    rows = [["trial", "Precision"], ["[lam 1](#/x)", "0.9"], ["a|b", "0.8"]]
    told = described_sweep(
        "What for", "2 trials finished", "front", rows, 7, ["λ does its work"], "#/all", "tradeoff front x"
    )
    assert told.split("\n\n")[:3] == ["What for", "**2 trials finished**", "![front](front)"]
    assert "[All trials beside each other](#/all)" in told
    assert "| trial | Precision |\n|---|---|\n| [lam 1](#/x) | 0.9 |\n| a\\|b | 0.8 |\n\n… and 7 more" in told
    assert "- λ does its work" in told
