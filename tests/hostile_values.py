"""Values that a store may hold and that nobody of ours wrote."""

from __future__ import annotations

import json

__all__ = [
    "ALERT",
    "BYTES",
    "CATALOGUES",
    "CHILD_TAGS",
    "CURVES",
    "GOALS",
    "KEYS",
    "NUMBERS",
    "PARAMS",
    "PARENT_TAGS",
    "SAMPLES",
    "SHAPES",
    "STATEMENTS",
    "STEPS",
    "TEXTS",
    "TIMES",
]

ALERT = "alert(1)"
"""What hostile scripts would do."""

TEXTS = (
    "", " ", "abc", "-1", "1.5", "true", "null", "{}", "[]", "NaN", "Infinity", "-Infinity", "1e999", "9" * 4000, "[" * 3000,
    '{"a": ' * 900, '{"a": {"b": 1}}', '["max"]', '"\\ud800"', "x" * 8000, f"<script>{ALERT}</script>",
    f"\"'></script><img src=x onerror={ALERT}>", "[/red]", "[bold", "[link=file:///x]y[/link]", "\x1b[31mred\x1b[0m\x07",
    "a\nb\r\nc\td", "\u202eevil\u2066", "'; DROP TABLE runs; --", "=cmd|' /C calc'!A0", "%s %d {0} {x} $y",
    f"$\\alpha$ **b** [l](javascript:{ALERT}) ![p](http://evil.example/p.png)", "🦊" * 50, "\x00", "a\x00b", "../../etc/passwd",
    "`code`", ":material/home:", "tradeoff.trial", "2001-99-99", "1_000", "0x10", " 3 ", "١٢٣",
)  # fmt: skip

GOALS = (
    '{"precision": "max"}', '{"precision": "up"}', '{"precision": 1}', '{"nothing measured": "max"}', '{"": "min"}',
    '{"precision": "max", "precision ": "min"}', '["precision"]', '"precision"', "3", '{"precision": {"max": 1}}',
    json.dumps({f"m{i}": "max" for i in range(40)}), json.dumps({f"<script>{ALERT}</script>": "max", "[/x]": "min"}),
    '{"\\ud800": "max"}', '{"objective.lam": "min", "seed": "max"}', '{"fid": "min", "fid": "max"}',
)  # fmt: skip

KEYS = (
    "K1.2.3/precision", "K0.5/precision", "K0/recall", "K1e999/recall", "Kabc/fid", "K/fid", "K2/K2/precision", "obrs/0/precision",
    "obrs/0.5/recall", "obrs/1e400/fid", "obrs/nan/fid", "obrs/2/", "obrs//precision", "obrs/2.0/precision", "obrs/1/precision",
    "none/2/precision", "/", "//", "", " ", "id", "rank", "status", "budget", "seed", "objective.lam", "method", "λ", "x" * 250,
    f"<script>{ALERT}</script>", "[/red]", "a\nb", "\x1b[31m", "obrs/1e15/precision", "obrs/1.0000000001/fid", "obrs/99999999999/x",
    "9method/2/precision", "<b>/2/precision", "precision/2/precision",
)  # fmt: skip

NUMBERS = (
    "9e999",
    "-9e999",
    "1.7976931348623157e308",
    "1e300",
    "-1e300",
    "1e-320",
    "0",
    "-0.0",
    "-5",
    "1e17",
    "'abc'",
    "''",
)

STEPS = (-1, 0, 2**62, -(2**62))

TIMES = (-1, 0, 1, 2**62, -(2**62), 253402300800000)

BYTES = (
    b"",
    b"{",
    b"null",
    b"3",
    b"[]",
    b"{}",
    b'"x"',
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"\x89PNG\r\n\x1a\n",
    b"x" * 100_000,
)

CATALOGUES = (
    '{"metrics": 3}', '{"metrics": {}}', '{"metrics": [3, null, "x", []]}', '{"metrics": [{"key": "fid"}]}',
    '{"metrics": [{"key": 3, "title": "x", "direction": "max"}]}', '{"metrics": [{"key": "fid", "title": {"a": 1}}]}',
    '{"metrics": [{"key": "precision", "title": "P", "direction": "up"}]}',
    '{"metrics": [{"key": "precision", "title": "P", "direction": "max", "low": NaN, "high": Infinity}]}',
    '{"metrics": [{"key": "precision", "title": "P", "direction": "max", "low": "0"}]}',
    '{"metrics": [{"key": "precision", "title": "P", "direction": "max", "low": 9, "high": -9}]}',
    '{"metrics": [{"key": "fid", "title": "\\ud800", "sentence": ["x"], "unit": {"a": 1}, "diagnostic": "yes"}]}',
    json.dumps({"metrics": [{"key": "recall", "title": f"<script>{ALERT}</script>", "sentence": f"<img src=x onerror={ALERT}>"}]}),
    json.dumps({"metrics": [{"key": "precision", "title": "x" * 5000}], "methods": {"obrs": ["x"]}}),
    '{"metrics": [], "methods": []}', '{"metrics": [], "methods": {"obrs": {"a": 1}}}', '{"metrics": [{"key": "fid", "title": "", "low": 1e999}]}',
)  # fmt: skip

SAMPLES = (
    '{"real": 3, "readings": "x"}', '{"real": [], "readings": []}', '{"real": [[1]], "readings": [3, null, {}]}',
    '{"real": [[1, 2], [3]], "readings": [{"method": "none", "budget": 1, "points": [[1, 2], [3]]}]}',
    '{"real": [[NaN, 1], [Infinity, 2]], "readings": [{"method": "none", "budget": 1, "points": [[NaN, NaN]]}]}',
    '{"real": [[1, 2]], "readings": [{"method": "none", "budget": 1, "points": [[1e308, -1e308], [-1e308, 1e308]]}]}',
    '{"real": [["a", "b"]], "readings": [{"method": 3, "budget": "x", "points": [["a", "b"]]}]}',
    '{"real": [[1, 2, 3]], "readings": [{"method": "none", "budget": 1, "points": [[1, 2, 3]]}]}',
    '{"real": [[1, 2]], "readings": [{"method": "none", "budget": 1, "points": [[1, 2]]}, {"method": "obrs", "budget": 1e999, "points": [[1, 2]]}]}',
    '{"real": [[1e999999, 2]], "readings": [{"method": "none", "budget": 1, "points": [[1, 2]]}]}',
    '{"real": [[' + "9" * 400 + ', 2]], "readings": [{"method": "none", "budget": 1, "points": [[' + "9" * 400 + ", 2]]}]}",
    '{"fake": [[1, 2]], "budgets": {"x": 3, "0": [[1, 2]], "2": [[1]]}}', '{"fake": 3, "budgets": []}',
    '{"real": [[true, false]], "readings": [{"method": null, "budget": true, "points": [[true, false]]}]}',
    '{"real": [[[1]]], "readings": [{"method": "none", "budget": 1, "points": [[]]}]}',
    '{"real": [{"a": 1}], "readings": [{"method": "none", "budget": 1, "points": [{"a": 1}]}]}',
)  # fmt: skip

CURVES = (
    '{"lambda": 3}', '{"lambda": [], "precision": [], "recall": []}', '{"lambda": [1], "precision": [1, 2], "recall": ["x"]}',
    '{"lambda": [NaN], "precision": [Infinity], "recall": [1]}', '{"lambda": [1e308], "precision": [1e308], "recall": [-1e308], "source": {"a": 1}}',
    '{"lambda": [[1]], "precision": [{}], "recall": [null]}', '{"lambda": [true], "precision": [1], "recall": [1], "source": ["x"]}',
    '{"lambda": [' + "9" * 400 + '], "precision": [1], "recall": [1]}', '{"lambda": {"0": 1}, "precision": {"0": 1}, "recall": {"0": 1}}',
)  # fmt: skip

SHAPES = {
    "catalogue.json": CATALOGUES,
    "samples.json": SAMPLES,
    "curve.json": CURVES,
    "sweep.yaml": TEXTS,
    "samples.png": (),
}

PARENT_TAGS = ("description", "trials", "layout", "unheard", "stopped")
CHILD_TAGS = ("kind", "sweep", "layout", "readings", "stopped", "reason", "outcome", "objectives", "unheard")
PARAMS = (
    "seed",
    "objective.lam",
    "objective.name",
    "training.iterations",
    "dataset.name",
    "unheard",
    "",
    "a" * 250,
    "refinement.budgets",
    "[/x]",
    f"<b>{ALERT}",
)

STATEMENTS = (
    "UPDATE runs SET status = 'WEIRD' WHERE run_uuid = ?", "UPDATE runs SET start_time = NULL WHERE run_uuid = ?",
    "UPDATE tags SET value = CAST(x'ff80' AS TEXT) WHERE run_uuid = ?", "UPDATE runs SET lifecycle_stage = 'gone' WHERE run_uuid = ?",
    "UPDATE runs SET name = NULL WHERE run_uuid = ?", "UPDATE params SET value = 'x' || run_uuid WHERE run_uuid = ?",
    "DELETE FROM tags WHERE run_uuid = ?", "DELETE FROM latest_metrics WHERE run_uuid = ?", "UPDATE runs SET experiment_id = 99 WHERE run_uuid = ?",
    "UPDATE tags SET value = NULL WHERE run_uuid = ?", "UPDATE runs SET status = NULL WHERE run_uuid = ?",
)  # fmt: skip
"""What MLflow itself may not be able to read."""
