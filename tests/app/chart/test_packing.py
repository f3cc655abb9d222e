"""A chart as bytes, read back by an independent reading of the format."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.chart.packing import packed
from explorer.figures.chart import Axis, Card, CardRow, Chart, Line, Panel, Paths, Points, Scale, Text

KINDS = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "u1"}


def unpacked(data: bytes) -> dict[str, Any]:
    """The header with arrays in place."""
    (length,) = struct.unpack_from("<I", data)
    start = -(-(4 + length) // 8) * 8

    def revived(found: dict[str, Any]) -> Any:
        if "$" not in found:
            return found
        offset, size, kind, shape = found["$"]
        assert (start + offset) % 8 == 0
        return np.frombuffer(data, KINDS[kind], size, start + offset).reshape(shape)

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    header: dict[str, Any] = json.loads(
        data[4 : 4 + length].decode(), object_hook=revived, parse_constant=refuse
    )
    return header


def chart(**fields: Any) -> Chart:
    return Chart(**{"x": Axis("x", 0, 1), "y": Axis("y", 0, 1), "layers": [], **fields})


def test_fields_and_kinds_of_all_parts_come_back() -> None:
    x = np.linspace(0, 1, 4)
    spec = chart(
        layers=[Points(x, x, key=np.arange(4), hollow=x > 0.5), Text(x, x, ["a"] * 4)],
        panels=[Panel("p", [Line(x, x)], x=Axis("own", 1, 10, log=True))],
        colour=Scale("λ", 0, 1, ("#000", "#fff")),
        keys=list("abcd"),
        card=Card(list("ABCD"), rows=[CardRow("r", x.astype(np.float32)), CardRow("w", list("wxyz"))]),
        brush={"kind": "box", "x": [0, 1], "y": [0.5, 2.0]},
    )
    header = unpacked(packed(spec, "front"))
    points, text = header["layers"]
    assert [layer["kind"] for layer in header["layers"]] == ["points", "text"]
    assert text["text"] == ["a"] * 4
    assert points["hollow"].dtype == np.uint8
    assert points["key"].dtype == np.int32
    assert points["x"].dtype == np.float64
    assert header["card"]["rows"][0]["values"].dtype == np.float32, "half the bytes, where they are enough"
    np.testing.assert_array_equal(points["hollow"], [0, 0, 1, 1])
    np.testing.assert_array_equal(points["x"], x)
    assert header["panels"][0]["x"]["log"] is True
    assert header["panels"][0]["layers"][0]["kind"] == "line"
    assert header["colour"]["kind"] == "scale"
    assert header["card"]["rows"][1]["values"] == list("wxyz")
    assert header["brush"] == {"kind": "box", "x": [0, 1], "y": [0.5, 2.0]}
    assert (header["key"], header["keys"], header["sizes"]) == ("front", list("abcd"), None)


@given(arrays(np.float64, st.integers(0, 20)))
def test_numbers_come_back_bit_by_bit(values: np.ndarray[Any, Any]) -> None:
    found = unpacked(packed(chart(layers=[Line(values, values)])))["layers"][0]["x"]
    assert found.tobytes() == values.tobytes()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(text: str) -> None:
    assert unpacked(packed(chart(title=text)))["title"] == text


def test_half_a_letter_is_replaced() -> None:
    assert unpacked(packed(chart(title="a\ud800b")))["title"] == "a?b"


def test_numbers_of_the_header_that_are_not_finite_are_null() -> None:
    header = unpacked(packed(chart(x=Axis("x", float("nan"), np.float64("inf")))))
    assert (header["x"]["low"], header["x"]["high"]) == (None, None)


def test_shapes_rows_and_large_integers() -> None:
    paths = Paths(np.arange(6.0).reshape(2, 3).T, np.zeros((3, 2)), np.arange(2)[[0, 1, 1]])
    header = unpacked(
        packed(
            chart(
                layers=[paths],
                keys=["a", "b"],
                card=Card(["a", "b"], rows=[CardRow("n", np.array([2**40, 1]))]),
            )
        )
    )
    np.testing.assert_array_equal(header["layers"][0]["x"], [[0, 3], [1, 4], [2, 5]])
    np.testing.assert_array_equal(header["card"]["rows"][0]["values"], [2.0**40, 1.0])


def test_an_array_of_several_layers_is_sent_once() -> None:
    x = np.zeros(1000)
    once, twice = (packed(chart(layers=[Line(x, x)] * n)) for n in (1, 2))
    assert len(twice) - len(once) < 500


def test_words_in_an_array_are_words() -> None:
    values = np.array(["one", None, "<b>"], dtype=object)
    header = unpacked(packed(chart(keys=list("abc"), card=Card(list("abc"), rows=[CardRow("w", values)]))))
    assert header["card"]["rows"][0]["values"] == ["one", "", "<b>"]
