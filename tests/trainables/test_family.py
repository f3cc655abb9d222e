"""A family finds its members in a folder, in installed packages and where it is told; it refuses what is none."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.declarations import reason
from trainables.family import Config, Family, Member, UnknownMember, positive, require


class Gadget(Member, ABC):
    """What the members below are."""

    @abstractmethod
    def turn(self) -> int:
        """Something a gadget must do."""


@dataclass(frozen=True)
class Wheel(Gadget):
    """A member from outside."""

    name: ClassVar[str] = "wheel"
    rows: ClassVar[tuple[str, ...]] = ("speed",)
    shorthands: ClassVar[Any] = {
        "size": {"small": {"spokes": 4, "radius": 1.0}, "big": {"spokes": 32, "radius": 5.0}},
        "colour": {"red": {"hues": (1, 0)}},
    }
    spokes: int = 8
    radius: float = 2.0
    speed: float = 1.0
    load: float | None = None
    hues: tuple[int, ...] = (0, 0)
    marks: tuple[float, ...] = ()

    def check(self) -> None:
        positive(radius=self.radius)

    def turn(self) -> int:
        return self.spokes


GEAR = '''
"""A file of the folder."""
from dataclasses import dataclass
from typing import ClassVar
from tests.trainables.test_family import Gadget, Wheel


class NoName(Gadget):
    def turn(self):
        return 0


@dataclass(frozen=True)
class StillAbstract(Gadget):
    name: ClassVar[str] = "still_abstract"


@dataclass(frozen=True)
class Gear(Gadget):
    """Ours."""
    name: ClassVar[str] = "gear"
    teeth: int = 3

    def turn(self):
        return self.teeth
'''


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Family[Gadget]]:
    """A folder with one member, a part that is a folder, and a file without members."""
    folder = tmp_path / "gadgets_of_ours"
    (folder / "parts").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "gear.py").write_text(GEAR)
    (folder / "helper.py").write_text("VALUE = 1\n")
    (folder / "parts" / "__init__.py").write_text("raise RuntimeError('parts are not members')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Family("gadget", Gadget, "gadgets_of_ours", default="gear")
    for name in [name for name in sys.modules if name.split(".")[0] == "gadgets_of_ours"]:
        del sys.modules[name]


def install(folder: Path, group: str, entries: dict[str, str]) -> None:
    """A distribution as an installer leaves it: metadata and entry points."""
    info = folder / "brought-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def test_the_folder_lists_the_members(family: Family[Gadget]) -> None:
    assert family.names() == list(family) == ["gear"]
    assert "gear" in family
    assert "wheel" not in family
    assert family["gear"]().turn() == 3
    assert family.group == "tradeoff.gadgets"
    assert Family("search", Gadget, "x", default="", plural="searches").group == "tradeoff.searches"


def test_a_module_defines_what_it_names_and_does_not_import(family: Family[Gadget]) -> None:
    family.names()
    assert [kind.__name__ for kind in family.defined_in(sys.modules["gadgets_of_ours.gear"])] == ["Gear"]
    assert family.defined_in(sys.modules["gadgets_of_ours.helper"]) == []
    assert family.defined_in(ModuleType("empty")) == []


def test_a_member_from_outside_joins_and_leaves(family: Family[Gadget]) -> None:
    assert family.add(Wheel) is Wheel
    assert family.names() == ["gear", "wheel"]
    assert family["wheel"] is Wheel
    assert family.add(Wheel) is Wheel  # twice the same is once
    assert list(family.loaded()) == ["gear", "wheel"]
    assert family.is_ours("gear")
    assert not family.is_ours("wheel")
    family.forget("wheel")
    assert family.names() == ["gear"]
    family.forget("wheel")


def test_an_unknown_name_is_answered_with_those_there_are(family: Family[Gadget]) -> None:
    family.add(Wheel)
    with pytest.raises(UnknownMember) as refusal:
        family["weel"]
    assert str(refusal.value) == "no gadget is called 'weel'; there are gear, wheel"
    assert (refusal.value.noun, refusal.value.asked, refusal.value.known) == (
        "gadget",
        "weel",
        ["gear", "wheel"],
    )
    assert isinstance(refusal.value, ValueError)
    for odd in (["gear"], None, {"a": 1}):
        with pytest.raises(UnknownMember, match="no gadget is called"):
            family[odd]


def unnamed() -> type:
    @dataclass(frozen=True)
    class Unnamed(Gadget):
        def turn(self) -> int:
            return 0

    return Unnamed


def named(text: Any) -> type:
    @dataclass(frozen=True)
    class Named(Gadget):
        name: ClassVar[str] = text

        def turn(self) -> int:
            return 0

    return Named


def thawed(frozen: bool) -> type:
    class Thawed(Gadget):
        name: ClassVar[str] = "thawed"

        def turn(self) -> int:
            return 0

    return Thawed if frozen else dataclass(Thawed)


def idle() -> type:
    @dataclass(frozen=True)
    class Idle(Gadget):
        name: ClassVar[str] = "idle"

    return Idle


def heir() -> type:
    class Heir(Wheel):
        name: ClassVar[str] = "heir"

    return Heir


HERE = "tests.trainables.test_family"


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (int, f"builtins.int must derive from {HERE}.Gadget to be a gadget"),
        (3, f"?.3 must derive from {HERE}.Gadget to be a gadget"),
        (Wheel(), "Gadget to be a gadget"),
        (thawed(frozen=False), "must be a frozen dataclass; put @dataclass(frozen=True) above it"),
        (thawed(frozen=True), "must be a frozen dataclass; put @dataclass(frozen=True) above it"),
        (heir(), "must be a frozen dataclass; put @dataclass(frozen=True) above it"),
        (idle(), f"gadget {HERE}.idle.<locals>.Idle must define turn"),
        (unnamed(), "must have a name made of letters, digits and '_': name = \"mine\""),
        (named("two words"), "must have a name made of letters, digits and '_': name = \"mine\""),
        (named(7), "must have a name made of letters, digits and '_': name = \"mine\""),
        (named("gear"), f"gadget 'gear' exists already; give {HERE}.named.<locals>.Named another name"),
    ],
)
def test_what_is_no_member_is_refused(family: Family[Gadget], kind: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        family.add(kind)
    assert sentence in str(refusal.value)
    assert family.names() == ["gear"]


def test_two_from_outside_cannot_share_a_name(family: Family[Gadget]) -> None:
    family.add(Wheel)
    with pytest.raises(ValueError, match="gadget 'wheel' exists already"):
        family.add(named("wheel"))


def test_an_installed_package_brings_members_and_is_imported_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: Family[Gadget]
) -> None:
    site = tmp_path / "site"
    install(site, "tradeoff.gizmos", {"spring": "brought_gadgets:Spring"})
    (site / "brought_gadgets.py").write_text(GEAR.replace("Gear", "Spring").replace('"gear"', '"spring"'))
    monkeypatch.syspath_prepend(str(site))
    gizmos = Family("gizmo", Gadget, family.package, default="gear")
    assert gizmos.names() == ["gear", "spring"]
    assert "spring" in gizmos
    assert list(gizmos.loaded()) == ["gear"]
    assert "brought_gadgets" not in sys.modules
    assert gizmos["spring"]().turn() == 3
    assert gizmos["spring"] is sys.modules["brought_gadgets"].Spring
    assert gizmos.names() == ["gear", "spring"]
    assert family.names() == ["gear"]  # another group
    del sys.modules["brought_gadgets"]


def test_a_package_that_calls_its_member_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "tradeoff.widgets", {"spoke": f"{HERE}:Wheel"})
    monkeypatch.syspath_prepend(str(tmp_path))
    family = Family("widget", Gadget, "tests.trainables.studies", default="wheel")
    with pytest.raises(ValueError, match="Wheel is called 'wheel', but brought as 'spoke'"):
        family["spoke"]


@given(whole=st.integers(1, 10**6), marks=st.lists(st.integers(-9, 9), max_size=4))
def test_one_spelling_for_equal_numbers(whole: int, marks: list[int]) -> None:
    given_as: Any = Wheel(radius=whole, load=whole, marks=marks)  # type: ignore[arg-type]
    meant = Wheel(radius=float(whole), load=float(whole), marks=tuple(map(float, marks)))
    assert given_as == meant
    assert hash(given_as) == hash(meant)
    assert repr(given_as.signature()) == repr(meant.signature())
    assert isinstance(given_as.radius, float)
    assert all(isinstance(mark, float) for mark in given_as.marks)


def test_lists_become_tuples_and_whole_numbers_stay_whole() -> None:
    wheel = Wheel(hues=[3, 4])  # type: ignore[arg-type]
    assert wheel.hues == (3, 4)
    assert all(isinstance(hue, int) for hue in wheel.hues)
    assert Wheel(load=None).load is None


def test_only_what_differs_from_its_default_names_a_member() -> None:
    assert Wheel().changed() == {}
    assert Wheel(spokes=8, radius=2).changed() == {}
    assert Wheel(spokes=9, hues=(1, 2)).changed() == {"spokes": 9, "hues": [1, 2]}
    assert Wheel(spokes=9).signature() == ["wheel", 1, {"spokes": 9}]
    assert Wheel().plain() == {
        "name": "wheel",
        "spokes": 8,
        "radius": 2.0,
        "speed": 1.0,
        "load": None,
        "hues": [0, 0],
        "marks": [],
    }


def test_a_new_version_is_another_signature() -> None:
    @dataclass(frozen=True)
    class Newer(Wheel):
        version: ClassVar[int] = 2

    assert Newer().signature() == ["wheel", 2, {}]


def test_members_inside_members_are_named_by_their_signatures() -> None:
    @dataclass(frozen=True)
    class Cart(Config):
        wheel: Wheel = field(default_factory=Wheel)
        spare: tuple[Wheel, ...] = ()
        notes: dict[int, str] = field(default_factory=dict)

    assert Cart().changed() == {}
    assert Cart(wheel=Wheel(spokes=1)).changed() == {"wheel": ["wheel", 1, {"spokes": 1}]}
    assert Cart(spare=(Wheel(),)).changed() == {"spare": [["wheel", 1, {}]]}
    assert Cart(spare=[Wheel()]).spare == (Wheel(),)  # type: ignore[arg-type]
    plain = Cart(notes={1: "a"}).plain()
    assert plain["wheel"]["name"] == "wheel"
    assert plain["notes"] == {"1": "a"}


def test_shorthands_stand_for_fields_and_fields_given_win() -> None:
    assert Wheel.spelled({"size": "big"}) == {"spokes": 32, "radius": 5.0}
    assert Wheel.spelled({"radius": 3, "size": "big", "colour": "red"}) == {
        "spokes": 32,
        "radius": 3,
        "hues": (1, 0),
    }
    assert Wheel.spelled({"spokes": 2}) == {"spokes": 2}
    assert Wheel.keys() == ("spokes", "radius", "speed", "load", "hues", "marks", "size", "colour")


@pytest.mark.parametrize("chosen", ["huge", 3, None, ["small"]])
def test_an_unknown_shorthand_is_refused(chosen: Any) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Wheel.spelled({"size": chosen})
    assert str(refusal.value) == f"'size' of wheel must be one of small, big, got {chosen!r}"


def test_rows_may_differ_inside_a_group() -> None:
    assert Wheel(speed=3).group() == Wheel(speed=4).group()
    assert Wheel(spokes=3).group() != Wheel(spokes=4).group()

    @dataclass(frozen=True)
    class Other(Wheel):
        pass

    assert Other().group() != Wheel().group()


@pytest.mark.parametrize("value", [0, -1, inf, nan, -inf])
def test_positive_is_positive_and_finite(value: float) -> None:
    positive(thing=1e-300)
    with pytest.raises(ValueError, match=f"^thing must be positive and finite, got {value}$"):
        positive(fine=1, thing=value)
    with pytest.raises(ValueError, match=r"^radius must be positive"):
        Wheel(radius=value)


def test_require_says_its_sentence() -> None:
    require(True, "never said")
    with pytest.raises(ValueError, match=r"^said$"):
        require(False, "said")


@dataclass(frozen=True)
class Open(Gadget):
    """Fields that may hold a number, a word, or several numbers."""

    name: ClassVar[str] = "open"
    rate: float | str = "auto"
    several: tuple[float, ...] | None = None
    flag: float | bool = False

    def turn(self) -> int:
        return 0


def test_numbers_are_one_spelling_also_where_a_field_may_hold_more() -> None:
    assert Open(rate="fast").rate == "fast"
    assert Open(flag=True).flag is True
    assert repr(Open(rate=1, several=(1, 2))) == repr(Open(rate=1.0, several=(1.0, 2.0)))
    assert Open(several=[1, 2]).signature() == Open(several=(1.0, 2.0)).signature()  # type: ignore[arg-type]


@dataclass(frozen=True)
class Inner(Config):
    """A config inside a member."""

    file: Path = Path("inner")


@dataclass(frozen=True)
class Shelf(Gadget):
    """Fields of every type that members may have."""

    name: ClassVar[str] = "shelf"
    file: Path = Path("a")
    maybe: Path | None = None
    either: str | Path = "text"
    several: tuple[Path, ...] = ()
    pair: tuple[str, Path] = ("a", Path("b"))
    table: tuple[tuple[int, ...], ...] = ()
    plain_one: tuple = ()  # type: ignore[type-arg]
    odd: Any = None
    inner: Inner = Inner()

    def turn(self) -> int:
        return 0


@pytest.mark.parametrize(
    "shelf",
    [
        Shelf(),
        Shelf(maybe=Path("m"), either="path/like", several=(Path("x"), Path("y"))),
        Shelf(
            pair=("t", Path("u")), table=((1, 2), (3,)), plain_one=(1, "a"), odd=2.5, inner=Inner(Path("z"))
        ),
    ],
)
def test_a_member_comes_back_from_json_as_it_was(shelf: Shelf) -> None:
    assert Shelf.of_plain(json.loads(json.dumps(shelf.plain()))) == shelf


def test_a_field_without_a_default_is_refused(family: Family[Gadget]) -> None:
    @dataclass(frozen=True)
    class Bare(Gadget):
        name: ClassVar[str] = "bare"
        file: str

        def turn(self) -> int:
            return 0

    with pytest.raises(ValueError, match="Bare must give its field 'file' a default"):
        family.add(Bare)


def declared(hint: Any = float, default: Any = 1.0, **attributes: Any) -> Any:
    """A gadget called odd with one field ``turns`` and whatever else its class says."""
    body = {"name": "odd", "turn": lambda self: 0, "__annotations__": {"turns": hint}, "turns": default}
    kind = type("Odd", (Gadget,), {**body, **attributes, "__module__": HERE})
    return dataclass(frozen=True)(kind)


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Mute(Exception):
    def __str__(self) -> Any:
        return 5


def broken() -> float:
    raise KeyError("gone")


SHORTHANDS = 'must have shorthands such as {"size": {"small": {"width": 8}}}, got '


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"version": "two"}, "must have a whole number as version, got 'two'"),
        ({"version": True}, "must have a whole number as version, got True"),
        ({"version": Unwritable()}, "version, got a value of Unwritable that cannot be written"),
        ({"shorthands": 5}, f"{SHORTHANDS}5"),
        ({"shorthands": {"size": None}}, SHORTHANDS + "{'size': None}"),
        ({"shorthands": {1: {}}}, SHORTHANDS + "{1: {}}"),
        ({"shorthands": {"size": {"small": 8}}}, SHORTHANDS + "{'size': {'small': 8}}"),
        ({"rows": None}, "must have names of its fields as rows, got None"),
        ({"rows": "turns"}, "must have names of its fields as rows, got 'turns'"),
        ({"rows": ([],)}, "must have names of its fields as rows, got ([],)"),
        ({"hint": "Nope"}, "must have fields of known types, got NameError: name 'Nope' is not defined"),
        ({"hint": "list["}, "must have fields of known types, got SyntaxError: "),
        ({"hint": (int, float)}, "must give its field 'turns' a type such as tuple[float, ...], got (<class"),
        ({"hint": 5}, "must give its field 'turns' a type such as tuple[float, ...], got 5"),
        ({"default": "abc"}, "must give its field 'turns' a default of type float, got 'abc'"),
        ({"default": None}, "must give its field 'turns' a default of type float, got None"),
        ({"default": True}, "must give its field 'turns' a default of type float, got True"),
        ({"hint": int, "default": 1.5}, "must give its field 'turns' a default of type int, got 1.5"),
        ({"hint": int | None, "default": "a"}, "a default of type int | None, got 'a'"),
        ({"hint": tuple[int, ...], "default": (1, "a")}, "of type tuple[int, ...], got (1, 'a')"),
        ({"hint": tuple[int, int], "default": (1,)}, "of type tuple[int, int], got (1,)"),
        ({"hint": tuple[int, ...], "default": 1}, "of type tuple[int, ...], got 1"),
        ({"hint": Literal["a", "b"], "default": "c"}, "of type typing.Literal['a', 'b'], got 'c'"),
        ({"hint": Path, "default": "a"}, "a default of type Path, got 'a'"),
        ({"hint": str, "default": "a" * 999}, None),
        ({"hint": int, "default": "a" * 999}, "a default of type int, got 'aaaa"),
        ({"default": field(default_factory=broken)}, "a default, but its factory raised KeyError: 'gone'"),
        ({"default": 1}, None),
        ({"hint": Any, "default": "any"}, None),
        ({"hint": tuple, "default": (1, "a")}, None),
        ({"hint": tuple[float, ...] | str, "default": (1, 2.5)}, None),
        ({"hint": tuple[int, str], "default": (1, "a")}, None),
        ({"hint": dict[str, int], "default": field(default_factory=dict)}, None),
    ],
)
def test_a_declaration_that_makes_no_sense_is_refused(
    family: Family[Gadget], attributes: dict[str, Any], sentence: str | None
) -> None:
    kind = declared(**attributes)
    if sentence is None:
        assert family.add(kind) is kind
        return
    with pytest.raises(ValueError, match=r".") as refusal:
        family.add(kind)
    assert str(refusal.value).startswith(f"gadget {HERE}.Odd must ")
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) <= 240
    assert family.names() == ["gear"]


@pytest.mark.parametrize("error", [ZeroDivisionError("by zero"), KeyError("a"), AssertionError(), Mute()])
def test_a_check_that_fails_is_a_refusal_that_names_the_member(error: Exception) -> None:
    def check(self: Any) -> None:
        raise error

    with pytest.raises(
        ValueError, match=r"^check\(\) of 'odd' must raise ValueError with a sentence"
    ) as refusal:
        declared(check=check)()
    assert str(refusal.value).endswith(f", but it raised {reason(error)}")
    assert refusal.value.__cause__ is error
