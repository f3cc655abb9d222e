"""Numbers between configurations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.followup.between import chain_of, is_number

LAM = "objective.lam"


def test_lambda_goes_by_its_logarithm_and_words_stay():
    points = [{"objective.name": "pr", LAM: 0.1}, {"objective.name": "pr", LAM: 10.0}]
    found = chain_of(points, [0.9, 0.5]).between([0.7])
    assert found == [{"objective.name": "pr", LAM: 1.0}]


def test_narrow_numbers_go_evenly_and_whole_ones_stay_whole():
    points = [{"a": 1.0, "n": 2}, {"a": 2.0, "n": 5}]
    found = chain_of(points, [0.0, 1.0]).between([0.5])
    assert found == [{"a": 1.5, "n": 4}]
    assert isinstance(found[0]["n"], int)


def test_its_own_configurations_are_not_found_again():
    points = [{LAM: 1.0}, {LAM: 2.0}, {LAM: 4.00004}]
    assert chain_of(points, [0.0, 0.5, 1.0]).between([0.0, 0.5, 1.0, 2.0]) == []


def test_the_way_leads_through_every_configuration_of_the_chain():
    points = [{LAM: 1.0}, {LAM: 100.0}, {LAM: 10.0}]
    found = chain_of(points, [0.0, 0.5, 1.0]).between([0.25, 0.75])
    assert [point[LAM] for point in found] == [31.62]  # the way to 100 leads over 10, which was tried


@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.floats(-5, 5)), min_size=2, max_size=6),
    st.lists(st.floats(-1, 2), max_size=8),
)
def test_numbers_stay_within_those_of_the_chain(numbers, targets):
    points = [{LAM: lam, "shift": shift} for lam, shift in numbers]
    values = [i / (len(points) - 1) for i in range(len(points))]
    for point in chain_of(points, values).between(targets):
        for path in (LAM, "shift"):
            assert min(p[path] for p in points) <= point[path] <= max(p[path] for p in points)


@pytest.mark.parametrize(
    ("value", "told"), [(1, True), (0.5, True), (True, False), ("pr", False), (None, False)]
)
def test_numbers_are_no_switches(value, told):
    assert is_number(value) is told


def test_what_is_the_same_everywhere_stays_as_it_is():
    points = [{"rate": 0.12345678, "n": 2**60 + 1, LAM: lam} for lam in (1.0, 4.0)]
    (found,) = chain_of(points, [0.0, 1.0]).between([0.5])
    assert found == {"rate": 0.12345678, "n": 2**60 + 1, LAM: 2.0}


def test_close_numbers_have_as_many_digits_as_it_takes():
    points = [{"rate": 0.123456}, {"rate": 0.123466}]
    (found,) = chain_of(points, [0.0, 1.0]).between([0.5])
    assert 0.123456 < found["rate"] < 0.123466
    assert chain_of(points, [0.0, 1.0]).between([0.0, 1.0]) == []
