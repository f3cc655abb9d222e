"""A valid sweep with every section, and what must not break the reading of it: values, lines, whole files."""

from __future__ import annotations

from typing import Any

__all__ = ["ANYWHERE", "HOSTILE", "ODD_FILES", "VALID"]

VALID: dict[str, Any] = {
    "name": "ring",
    "description": "λ against the critic",
    "plugins": [],
    "dataset": {"name": "rings", "radii": [1.0, 2.0], "sigma": 0.1},
    "model": {"name": "mlp_gan", "generator": [8], "critic": [8, 8], "latent": 2},
    "objective": {"name": "pr", "lam": 1.0, "critic": "logistic", "form": "log", "likelihood": 0.0},
    "constraint": {"name": "spectral", "lipschitz": 5.0},
    "training": {
        "iterations": 20, "batch_size": 16, "critic_steps": 1, "generator_lr": 0.001, "critic_lr": 0.004,
        "beta1": 0.5, "beta2": 0.99, "ema": 0.995, "decay": 0.5,
    },
    "refinement": {"name": "obrs", "budgets": [1, 2, 4]},
    "evaluation": {
        "samples": 64, "k": 3, "every": 10, "features": {"name": "identity"},
        "metrics": ["neighbours", "frechet", {"name": "prd", "clusters": 5, "runs": 2}, "kernel"],
    },
    "seeds": 2,
    "space": [
        {"objective.lam": [0.1, 1, 10], "constraint.name": ["none", "spectral"]},
        {"training.ema": {"range": [0.1, 0.9], "steps": 3}, "training.batch_size": {"log_range": [8, 64], "steps": 2}},
    ],
    "search": {"name": "grid", "trials": 12, "objectives": {"precision": "max", "fid": "min"}},
    "stopping": {"name": "plateau", "patience": 3, "margin": 0.0},
    "resources": {"cpus": 1, "gpus": 0, "pack": 8, "retries": 2, "storage": "checkpoints"},
    "tracking": {"experiment": "mine"},
}  # fmt: skip
"""Every section, every kind of value; small enough to plan in no time."""

HOSTILE: tuple[str, ...] = (
    # numbers
    "0", "-1", "-0.0", "1e-320", "1e308", "1e400", "-1e400", ".inf", "-.inf", ".nan", "9" * 25, "9" * 400, "9" * 5000,
    "1000000000", "1000000000000000000", "0.5", "1e5", "2147483648", "4611686018427387904", "9223372036854775807",
    # text
    '""', "' '", "x", "none", "null", "~", "yes", "true", "a" * 3000, "é" * 300, "\u202eabc", '"\\0"', '"a\\0b"',
    '"\\e[31mred"',
    '"\\ud800"', '"a\\nb"', "2001-99-99", "2001-01-01", "2001-01-01 00:00:00", "1:30", "010", "0x1F", "'1'", "1_000",
    "=", "<<",
    # paths and addresses
    "~nobody_here/x", "/dev/null/x", "/proc/version", "/proc/1/root", "../" * 50, "a/" * 3000, "sqlite:///",
    "sqlite:///~nobody_here/x.db",
    "http://[::1", "http://", "ftp://x", "file:///proc/version", "http://a:99999", "sqlite:////proc/version",
    "__main__", "os.path", ".", "..",
    # collections
    "[]", "{}", "[1]", "[[1]]", "[null]", "{a: 1}", "{name: x}", "{name: [1]}", "{name: {a: 1}}", "[1, a]",
    "[1, [2, {a: 3}]]", "{1: 2}",
    "{null: 1}", "{true: 1}", "[" + "1, " * 3000 + "1]", "[" + "8, " * 300 + "8]",
    "{" + ", ".join(f"k{i}: {i}" for i in range(500)) + "}",
    "[" * 30 + "]" * 30, "[" * 3000, "{a: " * 300 + "1" + "}" * 300, "&x [*x]", "&x {a: *x}", "*undefined",
    "{range: [0, 1]}", "{range: [1, 0]}", "{range: [0, 1], steps: 1000000000}", "{log_range: [0, 1]}",
    "{range: [-1e308, 1e308], steps: 5}",
    "{log_range: [1e-320, 1e308], steps: 3}", "{range: [a, b]}", "{range: 3}", "{choice: []}", "{choice: 3}",
    "{choice: [1], range: [0, 1]}",
    # tags
    "!!python/object/apply:os.system ['true']", "!!timestamp 2001-01-01", "!!binary aGVsbG8=", "!!set {a, b}",
    "!mine 3", "!!float x",
    "!!int ''", "!!bool maybe", "!<tag:x> 1",
)  # fmt: skip
"""Values as YAML text, to stand where another value stood."""

ANYWHERE: tuple[str, ...] = (
    "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)),
    "m0: &m0 {a: 1, b: 2}\n" + "".join(f"m{i}: &m{i} {{<<: [*m{i - 1}, *m{i - 1}]}}\n" for i in range(1, 24)),
    "space: [" + ", ".join(f"{{objective.lam: [{', '.join('123456789')}]}}" for _ in range(40)) + "]\n",
    "\n---\nname: other\n", "...\n", "%YAML 9.9\n---\n", "\tname: x\n", "? [a, b]\n: 3\n", "{a: 1}: 2\n", "<<: 3\n",
    "<<: [1]\n",
    "- a\n", "name\n", ": 3\n", "'\n", '"\n', "|\n", "@\n", "`\n", "&a\n", "*a\n", "!!\n", "\ufeff", "\x85", "\u2028",
    "#" * 5000 + "\n",
    "unknown: 1\n", "k" * 1100 + ": 1\n", "1: 2\n", "null: 3\n", "Name: x\n", "seed: 3\n",
)  # fmt: skip
"""Lines that belong nowhere."""

ODD_FILES: tuple[bytes, ...] = (
    b"", b"\n", b"# nothing\n", b"3\n", b"text\n", b"- a\n", b"null\n", b"\x00", b"\xff\xfe\x00",
    b"\x89PNG\r\n\x1a\n\x00\x00",
    "name: x\n".encode("utf-16"), "name: é\n".encode("latin-1"), b"PK\x03\x04" + bytes(100),
    b"\x1f\x8b\x08" + bytes(50),
    b"name: x\r\n" * 3, b"a" * 300_000, b"#" * 300_000, b"[" * 200_000, b"{" * 200_000, b"? " * 50_000, b"- " * 50_000,
    b"a: " * 5_000, b"x: [" + b"1, " * 80_000 + b"]", b'x: "' + b"\\u0041" * 40_000 + b'"',
    b"x: '" + b"''" * 60_000 + b"'",
    b"".join(b"k%d: 1\n" % i for i in range(20_000)), b"x: " + b"1:" * 50_000 + b"1", b"x: " + b"0" * 200_000,
    b"x: |\n" + b"  y\n" * 40_000, b"&a " * 1_000 + b"x", b"!!str " * 1_000 + b"x",
)  # fmt: skip
"""What is no sweep file at all."""
