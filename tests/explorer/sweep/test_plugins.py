"""Modules with members beside a sweep file are found, imported, or refused in one sentence; none comes unasked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import LONGEST_SENTENCE, UserError
from explorer.launch.earlier import Earlier
from explorer.launch.plan import make_plan
from explorer.sweep import load_sweep
from explorer.sweep.plugins import Plugin, find_plugins, import_plugins, may_name, of_members
from trainables.objectives import OBJECTIVES
from trainables.objectives.hinge import Hinge

LOUD = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge

@dataclass(frozen=True)
class Loud(Hinge):
    name = "loud"
    gain: float = 2.0
"""


def sweep_file(folder: Path, plugin: str = "mine_a", body: str = LOUD, text: str = "") -> str:
    (folder / f"{plugin}.py").write_text(body)
    (folder / "s.yaml").write_text(f"plugins: [{plugin}]\nspace: {{objective.name: [loud, pr]}}\n{text}")
    return str(folder / "s.yaml")


def test_a_file_beside_the_sweep_file_brings_its_members(tmp_path: Path) -> None:
    sweep = load_sweep(sweep_file(tmp_path))
    loud, pr = (sweep.trial(point, 0) for point in sweep.space.grid())
    assert (loud.objective.name, loud.objective.plain()["gain"]) == ("loud", 2.0)
    assert sweep.plugins == (Plugin("mine_a", str(tmp_path / "mine_a.py")),)
    assert loud.identity() != pr.identity()
    assert sweep.document["plugins"] == ["mine_a"]


def test_its_fields_are_axes_and_are_validated_like_ours(tmp_path: Path) -> None:
    file = sweep_file(tmp_path)
    sweep = load_sweep(file, ["space={objective.name: [loud], objective.gain: [1, 3]}"])
    assert [sweep.trial(p, 0).objective.plain()["gain"] for p in sweep.space.grid()] == [1.0, 3.0]
    with pytest.raises(UserError, match=r"'objective\.gain' must be a number, got 'much'"):
        load_sweep(file, ["space={objective.name: [loud]}", "objective.gain=much"])
    with pytest.raises(UserError, match="objective 'loud' has no 'pitch', only likelihood, warmup, gain"):
        load_sweep(file, ["space={objective.name: [loud]}", "objective.pitch=1"])


def test_a_changed_file_takes_the_place_of_the_former(tmp_path: Path) -> None:
    for folder, gain in (("a", "2.0"), ("b", "5.0")):
        (tmp_path / folder).mkdir()
        sweep = load_sweep(sweep_file(tmp_path / folder, body=LOUD.replace("2.0", gain)))
        assert sweep.trial(next(iter(sweep.space.grid())), 0).objective.plain()["gain"] == float(gain)
    assert load_sweep(str(tmp_path / "b" / "s.yaml")).plugins[0].path == str(tmp_path / "b" / "mine_a.py")


def test_packages_paths_and_installed_modules_are_found(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "__init__.py").write_text("from lab.parts import GAIN\n" + LOUD)
    (tmp_path / "lab" / "parts.py").write_text("GAIN = 1\n")
    (tmp_path / "one.py").write_text("")
    found = find_plugins(["lab", "one.py", "json.decoder"], tmp_path)
    assert [plugin.module for plugin in found] == ["lab", "one", "json.decoder"]
    assert [plugin.path for plugin in found] == [str(tmp_path / "lab"), str(tmp_path / "one.py"), None]
    import_plugins(found[:1])
    assert OBJECTIVES["loud"].__module__ == "lab"


BAD = {
    "import nothing_like_it": "cannot be imported: ModuleNotFoundError: No module named 'nothing_like_it'",
    "def broken(:": "cannot be imported at line 1: SyntaxError",
    "x = 1 / 0": "cannot be imported: ZeroDivisionError: division by zero",
    "x = 1": "defines no member of any family (dataset, model, objective",
    LOUD.replace("@dataclass(frozen=True)", "@dataclass"): "cannot be imported: TypeError",
    LOUD.replace(
        "@dataclass(frozen=True)\n", ""
    ): "must be a frozen dataclass; put @dataclass(frozen=True) above it",
    LOUD.replace('"loud"', '"hinge"'): "objective 'hinge' exists already",
    LOUD.replace('"loud"', '"not a name"'): "must have a name made of letters, digits and '_'",
    "from dataclasses import dataclass\nfrom trainables.models import Model\n"
    "@dataclass(frozen=True)\nclass Half(Model):\n    name = 'half'\n": (
        "model 'half' must define build_critic, build_generator"
    ),
}


@pytest.mark.parametrize("body", BAD)
def test_what_cannot_be_a_plugin_is_refused_in_one_sentence(tmp_path: Path, body: str) -> None:
    with pytest.raises(UserError) as refusal:
        load_sweep(sweep_file(tmp_path, "mine_bad", body))
    assert str(refusal.value).startswith("plugin 'mine_bad'")
    assert BAD[body] in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_plugin_that_is_not_there_or_hides_a_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("plugins: [absent]\n")
    with pytest.raises(UserError, match=r"plugin 'absent' was not found: there is no absent.py beside"):
        load_sweep(str(tmp_path / "s.yaml"))
    with pytest.raises(UserError, match="plugin 'json' would hide a module of that name; rename the file"):
        load_sweep(sweep_file(tmp_path, "json"))


@pytest.mark.parametrize(
    "name", ["torch", "mlflow", "optuna", "ray", "pandas", "sqlalchemy", "wave", "msvcrt", "google", "app"]
)
@pytest.mark.parametrize("on_path", [False, True])
def test_a_plugin_that_hides_a_module_nobody_loaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, on_path: bool
) -> None:
    monkeypatch.delitem(sys.modules, name, raising=False)
    if on_path:
        monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError, match=f"plugin '{name}' would hide a module of that name; rename the file"):
        load_sweep(sweep_file(tmp_path, name))
    assert name not in sys.modules


def test_a_plugin_on_the_path_and_its_copies_hide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other, link = tmp_path / "here", tmp_path / "other", tmp_path / "link"
    for folder in (here, other, link, other / "mine_a"):
        folder.mkdir()
    file = sweep_file(here)
    monkeypatch.syspath_prepend(str(other))  # a folder that merely bears the name
    assert load_sweep(file).plugins[0].path == str(here / "mine_a.py")
    monkeypatch.syspath_prepend(str(here))
    (link / "mine_a.py").symlink_to(here / "mine_a.py")
    monkeypatch.syspath_prepend(str(link))
    del sys.modules["mine_a"]
    assert load_sweep(file).plugins[0].path == str(here / "mine_a.py")
    (other / "mine_a.py").write_text(LOUD)  # as Ray ships it
    del sys.modules["mine_a"]
    assert load_sweep(file).plugins[0].path == str(here / "mine_a.py")
    (other / "mine_a.py").write_text("VALUE = 1\n")
    del sys.modules["mine_a"]
    with pytest.raises(UserError, match="plugin 'mine_a' would hide a module of that name"):
        load_sweep(file)


def test_what_was_shipped_is_imported_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_shipped.py").write_text(LOUD)
    monkeypatch.syspath_prepend(str(tmp_path))
    for plugin in (Plugin("mine_shipped"), Plugin("mine_shipped", "/on/the/driver/mine_shipped.py")):
        import_plugins([plugin])
        assert OBJECTIVES["loud"].__module__ == "mine_shipped"
        del sys.modules["mine_shipped"]
        OBJECTIVES.forget("loud")


def test_a_sweep_may_name_its_own_members_and_installed_ones_but_not_those_beside_another(
    tmp_path: Path,
) -> None:
    sweep = load_sweep(sweep_file(tmp_path))
    (tmp_path / "mine_b.py").write_text(LOUD.replace("oud", "ouder"))
    (tmp_path / "other.yaml").write_text("plugins: [mine_b]\nspace: {objective.name: [louder]}\n")
    load_sweep(str(tmp_path / "other.yaml"))
    loud, louder = OBJECTIVES["loud"], OBJECTIVES["louder"]
    assert [may_name(sweep.plugins, kind) for kind in (loud, louder, Hinge)] == [True, False, True]
    assert [may_name((), kind) for kind in (loud, louder, Hinge)] == [False, False, True]


ODD = "class Odd(%s):\n    %s\nraise Odd(%s)"
RAISED = {
    "raise GeneratorExit": "GeneratorExit",
    "raise SystemExit(3)": "SystemExit: 3",
    ODD % ("BaseException", "pass", "'mine'"): "Odd: mine",
    "import asyncio\nraise asyncio.CancelledError": "CancelledError",
    "raise BaseExceptionGroup('several', [GeneratorExit()])": "BaseExceptionGroup: several (1 sub-exception)",
    ODD % ("Exception", "def __str__(self): raise RuntimeError", ""): "Odd",
    ODD % ("Exception", "def __str__(self): return 5", ""): "Odd",
    ODD % ("Exception", "lineno = property(lambda self: 1 / 0)", ""): "Odd",
    ODD % ("Exception", "pass", "'a' * 9999"): "Odd: aaa",
}


@pytest.mark.parametrize("installed", [False, True])
@pytest.mark.parametrize("body", RAISED)
def test_whatever_a_plugin_raises_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, installed: bool
) -> None:
    (tmp_path / "mine_bad.py").write_text(body)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError) as refusal:
        import_plugins([Plugin("mine_bad", None if installed else str(tmp_path / "mine_bad.py"))])
    assert str(refusal.value).startswith(f"plugin 'mine_bad' cannot be imported: {RAISED[body]}")
    assert len(str(refusal.value)) <= LONGEST_SENTENCE
    assert "mine_bad" not in sys.modules


@pytest.mark.parametrize("installed", [False, True])
def test_an_interrupt_stays_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    (tmp_path / "mine_bad.py").write_text("raise KeyboardInterrupt")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        import_plugins([Plugin("mine_bad", None if installed else str(tmp_path / "mine_bad.py"))])
    assert "mine_bad" not in sys.modules


def test_a_package_that_fails_around_a_plugin_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_around").mkdir()
    (tmp_path / "mine_around" / "__init__.py").write_text("raise GeneratorExit")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError, match=r"plugin 'mine_around\.inside' was not found"):
        find_plugins(["mine_around.inside"], tmp_path / "elsewhere")


ODD_DATASET = """
from dataclasses import dataclass
from trainables.datasets import Dataset

@dataclass(frozen=True)
class Odd(Dataset):
    name = "mm"
    shape = (2,)
    turns: float = 1.5
    def source(self): ...
    def check(self): ...
"""
ODD_METRIC = """
from dataclasses import dataclass
from trainables.metrics import Entry, Metric

@dataclass(frozen=True)
class Odd(Metric):
    name = "mm"
    entries = (Entry("gap", "Gap", "A gap.", "min"),)
    def measure(self, pair): ...
"""
DATASET = "plugins: [mine_odd]\ndataset: {name: mm}\nspace: {dataset.turns: [1, 2]}\n"
METRIC = "plugins: [mine_odd]\nevaluation: {metrics: [neighbours, mm]}\nspace: {objective.lam: [1, 2]}\n"


@pytest.mark.parametrize(("body", "text"), [(ODD_DATASET, DATASET), (ODD_METRIC, METRIC)])
def test_what_the_odd_ones_below_are_made_of_is_fine(body: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "mine_odd.py").write_text(body)
    (tmp_path / "s.yaml").write_text(text)
    load_sweep(str(tmp_path / "s.yaml"))


@pytest.mark.parametrize(
    ("changed", "into", "sentence"),
    [
        ("float = 1.5", '"Nope" = 1.5', "plugin 'mine_odd': dataset mine_odd.Odd must have fields of known types"),
        ("float = 1.5", '"list[" = 1.5', "plugin 'mine_odd': dataset mine_odd.Odd must have fields of known"),
        ("1.5", '"abc"', "must give its field 'turns' a default of type float, got 'abc'"),
        ("check(self): ...", "check(self): 1 / 0", "dataset: check() of 'mm' must raise ValueError with a"),
        ("check(self): ...", "check(self): {}['a']", "or nothing, but it raised KeyError: 'a'"),
        *(
            ("shape = (2,)", f"shape = {shape}", "dataset 'mm' must have a shape of ")
            for shape in ("None", "2", "'ab'", "(0,)", "(-2,)", "(10**12,)")
        ),
        ("shape = (2,)", "shape = (2,); shorthands = 5", "mine_odd.Odd must have shorthands such as"),
        ("shape = (2,)", "shape = (2,); shorthands = {'size': None}", "mine_odd.Odd must have shorthands such"),
        ("shape = (2,)", "shape = (2,); version = object()", "must have a whole number as version, got <obj"),
        *(
            ('(Entry("gap", "Gap", "A gap.", "min"),)', entries, "plugin 'mine_odd': metric mine_odd.Odd must have ")
            for entries in ("None", "5", "('a',)", "[1]")
        ),
    ],
)  # fmt: skip
def test_a_member_badly_declared_is_one_sentence(
    tmp_path: Path, changed: str, into: str, sentence: str
) -> None:
    body, text = (ODD_METRIC, METRIC) if "Entry" in changed else (ODD_DATASET, DATASET)
    assert changed in body
    (tmp_path / "mine_odd.py").write_text(body.replace(changed, into))
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UserError) as refusal:
        load_sweep(str(tmp_path / "s.yaml"))
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) <= 280
    assert "\n" not in str(refusal.value)


def test_no_family_and_no_reader_imports_a_plugin_unasked(tmp_path: Path) -> None:
    # A module on the path that would make itself heard, in the folder from which all this is imported.
    (tmp_path / "mine_b.py").write_text("raise SystemExit(7)\n" + LOUD)
    code = (
        "from explorer.sweep.plugins import ALL_FAMILIES\n"
        "import explorer.results, explorer.report, explorer.figures, explorer.pareto, app.main, sys\n"
        "for family in ALL_FAMILIES: [family[name] for name in family]\n"
        "sys.exit('mine_b' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_packages_underneath_are_refused_without_being_imported() -> None:
    names = ["torch", "torch.nn", "ray", "sklearn"]
    code = (
        "import sys; from pathlib import Path\n"
        "from explorer.errors import UserError; from explorer.sweep.plugins import find_plugins\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n        find_plugins([name], Path())\n"
        "    except UserError as error:\n        print(error)\n"
        "sys.exit(any(name in sys.modules for name in sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *names]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [
        f"plugin '{name}' must be a module with members of yours, and this one is of a package that we use ourselves; "
        "leave it out"
        for name in names
    ]


SEARCHING = """
from dataclasses import dataclass
from explorer.search.grid import Grid
from explorer.search.points.source import GridSource

class Mute(GridSource):
    def ask(self, count):
        raise KeyError("ask")

@dataclass(frozen=True)
class Wild(Grid):
    name = "wild"
    part: str = "none"

    def reach(self, space):
        return self.fail("reach") or super().reach(space)

    def probes(self, space):
        self.fail("probes")
        return super().probes(space) if self.part != "points" else iter([{"objective.lam": 1}, 5])

    def source(self, space, points, study):
        self.fail("source")
        return (Mute if self.part == "ask" else GridSource)(space, points)

    def fail(self, part):
        if self.part == part:
            raise KeyError(part)
"""


@pytest.mark.parametrize("part", ["none", "reach", "probes", "points", "source", "ask"])
def test_a_search_that_raises_is_named_when_a_sweep_is_planned(tmp_path: Path, part: str) -> None:
    (tmp_path / "wild_search.py").write_text(SEARCHING)
    text = f"plugins: [wild_search]\nsearch: {{name: wild, part: {part}}}\nspace: {{objective.lam: [1, 2]}}\n"
    (tmp_path / "s.yaml").write_text(text)

    def planned() -> int:
        return make_plan(load_sweep(str(tmp_path / "s.yaml")), Earlier()).trials

    if part == "none":
        assert planned() == 2
        return
    with pytest.raises(
        UserError, match=r"search 'wild' must give points, but it raised (Key|Attribute)Error"
    ):
        planned()


ODD = {
    "def check(self): raise SystemExit(0)": "check() of 'odd' must raise ValueError with a sentence or nothing",
    "def signature(self): return 1 / 0": "",
    "def spelled(cls, raw): raise SystemExit('bye')": "",
    "def keys(cls): return 5": "",
    "def declared(cls): raise KeyError('x')": "plugin 'odd_member' cannot be read: KeyError",
    "def misdeclared(cls): raise SystemExit(3)": "plugin 'odd_member' cannot be read: SystemExit: 3",
    "b: bytes = b'x'": "must give its field 'b' a number, text, truth value, path or tuple, got b'x'",
}


@pytest.mark.parametrize("body", ODD)
def test_members_that_fail_where_nobody_expects_it_are_told(tmp_path: Path, body: str) -> None:
    own = f"@classmethod\n    {body}" if "(cls" in body else body
    code = LOUD.replace("Loud", "Odd").replace('"loud"', '"odd"') + f"    {own}\n"
    (tmp_path / "odd_member.py").write_text(code)
    (tmp_path / "s.yaml").write_text("plugins: [odd_member]\nobjective: {name: odd}\n")
    with pytest.raises(UserError) as refusal:
        make_plan(load_sweep(str(tmp_path / "s.yaml")), Earlier())
    told = (
        ODD[body] or "members from outside must answer when a sweep is planned, but objective 'odd' raised "
    )
    assert told in str(refusal.value)


def test_a_fault_of_ours_is_not_blamed_on_others() -> None:
    with pytest.raises(KeyError, match="ours"), of_members():
        raise KeyError("ours")
