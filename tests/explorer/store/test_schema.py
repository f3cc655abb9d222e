"""Names in the store: keys and tags give back what was written, those of layout 1 included."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.store import schema
from explorer.store.schema import (
    PLAIN,
    At,
    budget_text,
    decode,
    decode_readings,
    encode,
    encode_readings,
    is_older_key,
    metric_key,
    parse_metric_key,
)

budgets = st.floats(min_value=1, allow_nan=False, allow_infinity=False)
methods = st.sampled_from(["obrs", "halving", "K2", "_x"])


@pytest.mark.parametrize(
    ("budget", "key"),
    [
        (1, "fid"),
        (1.0, "fid"),
        (2.0, "obrs/2/fid"),
        (1.5, "obrs/1.5/fid"),
        (1e17, "obrs/" + "1" + "0" * 17 + "/fid"),
    ],
)
def test_key_spells_the_budget_as_a_person_would(budget, key):
    assert metric_key(At("obrs", budget), "fid") == key


def test_the_model_as_it_is_has_plain_keys():
    assert metric_key(PLAIN, "precision") == "precision"
    assert parse_metric_key("precision") == (PLAIN, "precision")


@given(methods, budgets, st.sampled_from(["precision", "fid", "prd.f8", "a/b"]))
def test_parsing_inverts_the_key(method, budget, name):
    at = PLAIN if budget == 1 else At(method, budget)
    assert parse_metric_key(metric_key(At(method, budget), name)) == (at, name)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("K2/precision", (At("obrs", 2.0), "precision")),
        ("K1.5/acceptance", (At("obrs", 1.5), "acceptance")),
        ("K1/acceptance", (PLAIN, "acceptance")),
        ("K1/fid", (PLAIN, "fid")),
        ("K1e+22/fid", (At("obrs", 1e22), "fid")),
    ],
)
def test_keys_of_layout_1_are_read_as_readings_of_obrs(key, expected):
    assert parse_metric_key(key) == expected


@pytest.mark.parametrize(
    "key", ["precision", "K", "Kid/precision", "K/x", "lam_inert", "K2", "obrs/2", "obrs/x/fid"]
)
def test_other_keys_have_no_budget(key):
    assert parse_metric_key(key) == (PLAIN, key)


@pytest.mark.parametrize("key", ["K1.2.3/fid", "obrs/1.2.3/fid", "obrs/./fid"])
def test_a_budget_that_is_no_number_is_none(key):
    assert parse_metric_key(key) == (PLAIN, key)


def test_keys_of_layout_1_are_known_as_such():
    assert [
        key for key in ("K2/fid", "fid", "obrs/2/fid", "K1.5/a/b", "Kid/x", "K2") if is_older_key(key)
    ] == [
        "K2/fid",
        "K1.5/a/b",
    ]


@pytest.mark.parametrize("budget", [0.5, -1, math.inf, math.nan])
def test_budget_below_one_is_refused(budget):
    with pytest.raises(ValueError, match="budget K must be ≥ 1"):
        budget_text(budget)
    with pytest.raises(ValueError, match="budget K must be ≥ 1"):
        metric_key(At("obrs", budget), "fid")


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (2.0, "2"),
        (1.5, "1.5"),
        (1_000_000.0, "1000000"),
        (1_234_567.0, "1234567"),
        (1_234_567.5, "1234567.5"),
        (1e16, "10000000000000000"),
        (9_007_199_254_740_991.0, "9007199254740991"),
    ],
)
def test_large_budgets_have_one_spelling_and_come_back(budget, text):
    at = At("obrs", budget)
    assert (budget_text(budget), at.text(), at.words()) == (text, f"obrs/{text}", f"K = {text}")
    assert metric_key(at, "fid") == f"obrs/{text}/fid"
    assert parse_metric_key(metric_key(at, "fid")) == (at, "fid")
    assert decode_readings(encode_readings({at: "mark"})) == {at: "mark"}


def test_a_reading_has_a_text_and_words():
    assert (At("obrs", 2.0).text(), At("obrs", 1.5).words(), PLAIN.words()) == ("obrs/2", "K = 1.5", "K = 1")
    assert At("halving", 2.0).words() == "K = 2"


@given(st.dictionaries(st.builds(At, methods, budgets), st.text(max_size=12)))
def test_marks_survive_their_tag(marks):
    assert decode_readings(encode_readings(marks)) == marks


@pytest.mark.parametrize(
    "foreign",
    [
        None,
        "",
        "x",
        "3",
        "[]",
        '["a"]',
        "[" * 9999,
        '{"obrs/0.5": "x", "obrs/nan": "x", "/2": "x", "obrs/2": 3}',
        '{"obrs": "x"}',
        '{"obrs/two": "x"}',
        "null",
    ],
)
def test_a_tag_of_others_has_no_marks(foreign):
    assert decode_readings(foreign) == {}


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs"]), max_size=20),
    )
)
def test_params_keep_value_and_type(value):
    back = decode(encode(value))
    assert back == value
    assert type(back) is type(value)


@given(st.text(max_size=20))
def test_any_text_comes_back_as_it_is_read(text):
    assert decode(encode(text)) == decode(json.dumps(text))


def test_plain_text_is_stored_as_it_stands():
    assert [encode(v) for v in ("pr", "leaky relu", "∞", "it's")] == ["pr", "leaky relu", "∞", "it's"]
    assert [encode(v) for v in (0.5, 3, True, None)] == ["0.5", "3", "true", "null"]


def test_text_that_would_be_read_as_something_else_is_quoted():
    assert [encode(v) for v in ("1", "true", "null", '"x"')] == ['"1"', '"true"', '"null"', '"\\"x\\""']
    assert [encode(v) for v in ("", " a", "a\n")] == ['""', '" a"', '"a\\n"']


def test_text_that_was_stored_in_quotes_is_still_read():
    assert (decode('"pr"'), decode("pr")) == ("pr", "pr")


@pytest.mark.parametrize("foreign", ["relu", "[1, 2]", "{}", "1e", ""])
def test_text_of_others_is_kept(foreign):
    assert decode(foreign) == foreign


@pytest.mark.parametrize(
    "text", ["NaN", "-Infinity", "1e999", "9" * 400, "9" * 5000, "[1]", "{}", "[" * 9999, "abc", ""]
)
def test_what_is_no_scalar_that_files_and_figures_take_stays_text(text):
    assert decode(text) == text


def test_texts_of_others_are_harmless():
    assert decode('"\\ud800"') == "�"
    assert decode("\x1b[31m") == "�[31m"


@pytest.mark.parametrize(
    "key", ["K1.2.3/fid", "K0.5/fid", "obrs/0/fid", "obrs/1e999/fid", "obrs/nan/fid", "obrs//fid"]
)
def test_a_key_without_a_budget_is_the_name_of_a_metric(key):
    assert parse_metric_key(key) == (PLAIN, key)


def test_alphas_are_read_off_a_curve_and_come_back() -> None:
    lam = np.geomspace(1e-4, 1e4, 400)
    curve = {"lambda": lam.tolist(), "precision": (lam / (1 + lam)).tolist()}
    text = schema.encode_alphas(curve)
    assert text is not None
    assert len(text) < 1500
    alphas = schema.decode_alphas(text)
    expected = np.array(schema.TRADE_OFFS) / (1 + np.array(schema.TRADE_OFFS))
    np.testing.assert_allclose(alphas, expected, rtol=2e-3)
    assert schema.TRADE_OFFS[60] == 1.0


def test_without_a_curve_there_are_no_alphas() -> None:
    assert schema.encode_alphas({}) is None


@pytest.mark.parametrize(
    "text", [None, "", "[]", "[1]", "{}", "null", json.dumps([2.0] * 121), json.dumps(["1"] * 121)]
)
def test_alphas_that_others_wrote_are_none(text: str | None) -> None:
    assert schema.decode_alphas(text) == ()
