"""The package that goes along with a model: named after its content, its imports its own."""

from __future__ import annotations

import io
import zipfile

from explorer.models.code import _renamed, code_of

MEMBERS = frozenset({"trainables.models.mlp_gan", "trainables.objectives.hinge"})


def test_equal_sources_give_equal_bytes_and_others_another_name() -> None:
    first = code_of(MEMBERS)
    code_of.cache_clear()
    assert code_of(MEMBERS) == first
    other = code_of(MEMBERS | {"trainables.objectives.pr"})
    assert other.package != first.package
    assert set(first.files) == {f"{first.package}/__init__.py", f"{first.package}/modules.zip"}


def test_no_module_in_it_names_what_may_be_installed() -> None:
    made = code_of(MEMBERS)
    with zipfile.ZipFile(io.BytesIO(made.files[f"{made.package}/modules.zip"])) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert {"served.py", "trainables/models/mlp_gan.py", "trainables/models/__init__.py"} <= set(texts)
    for name, text in texts.items():
        compile(text, name, "exec")
        lines = [line.strip() for line in text.splitlines()]
        assert not [line for line in lines if line.startswith(("from trainables", "import trainables"))], name
    assert made.renamed("trainables.models.mlp_gan") == f"{made.package}.trainables.models.mlp_gan"
    assert made.renamed("numpy") == "numpy"


BEFORE = """\
import own, os\f; text = "\u2028"
import own.a.b
import own.c as c; x = 1
from own import y; import own.z as z; from own import (v,
    w); import own.u
from own.d import (
    e,
    f as g,
)
from own import h  # why
from . import i
def late(): import own.j; return own.j
text = "from own import k"  # η
class N:
    from own.l import m; n = "ä"
"""

AFTER = """\
import P.own, P.own as own; import os\f; text = "\u2028"
import P.own.a.b, P.own as own
import P.own.c as c; x = 1
from P.own import y; import P.own.z as z; from P.own import v, w; import P.own.u, P.own as own
from P.own.d import e, f as g
from P.own import h  # why
from . import i
def late(): import P.own.j, P.own as own; return own.j
text = "from own import k"  # η
class N:
    from P.own.l import m; n = "ä"
"""


def test_imports_of_what_goes_along_name_the_package_and_nothing_else_changes() -> None:
    assert _renamed(BEFORE, "P", frozenset({"own"})) == AFTER
