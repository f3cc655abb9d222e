"""What every member of every family keeps: plain data, one identity, no torch before it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from typing import Any

import pytest

from explorer.sweep.members import build_member
from trainables.family import Family, Member


def check_every_name_is_listed(family: Family[Any], members: Sequence[Member]) -> None:
    """A member that is in the folder but not in the list would be under no contract."""
    assert {member.name for member in members} == set(family.names())


def check_imports_without_torch(package: str) -> None:
    """Every file of the family is imported by naming its members; torch is not."""
    code = (
        "import sys, importlib\n"
        "from trainables.family import Family\n"
        f"package = importlib.import_module({package!r})\n"
        "family = next(v for v in vars(package).values() if isinstance(v, Family))\n"
        "made = [family[name]() for name in family.names()]\n"
        "sys.exit('torch' in sys.modules or not made)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def check_member(family: Family[Any], member: Member) -> None:
    """Frozen, hashable, documented, survives JSON, and named by what differs from its defaults."""
    kind: Any = type(member)
    assert family[member.name] is kind
    assert kind.misdeclared() is None
    assert (kind.__doc__ or "").strip()
    assert "(" not in (kind.__doc__ or "").split("\n")[0][: len(kind.__name__) + 1]  # not dataclass's own
    for field in fields(kind):
        assert field.default is not MISSING or field.default_factory is not MISSING, field.name
        with pytest.raises(FrozenInstanceError):
            setattr(member, field.name, getattr(member, field.name))
    assert hash(replace(member)) == hash(member)
    assert kind().signature() == [member.name, kind.version, {}]
    travelled = json.loads(json.dumps(member.plain()))
    rebuilt = build_member(family, travelled, family.noun)
    assert rebuilt == member
    assert type(rebuilt) is kind
    assert rebuilt.signature() == member.signature()
    json.dumps(member.signature())
    assert set(kind.rows) <= {field.name for field in fields(kind)}
    hash(member.group())
