"""Where a page goes: told before the work for it is done."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError, shown

__all__ = ["check_page"]


def check_page(page: Path, *read: Path) -> None:
    """Refuse a page where no file can be made, that is no file, or that would take the place of what is ``read``."""
    from tempfile import TemporaryFile

    from trainables.paths import check_path

    name = shown(str(page), 120)
    try:
        check_path("--html", str(page))
        folder = page.resolve().parent
        if not folder.is_dir():
            raise UserError(
                f"the page cannot be written to {name}: there is no folder {shown(str(page.parent))}"
            )
        if page.is_dir():
            raise UserError(f"the page must be a file, but {name} is a folder; give a name in it")
        if page.exists() and not page.is_file():
            raise UserError(f"the page must be a file, but {name} is none; give another name")
        if not os.access(page if page.exists() else folder, os.W_OK):
            raise UserError(f"the page cannot be written to {name}: permission denied; choose another place")
        if page.exists() and any(file.exists() and page.samefile(file) for file in read):
            raise UserError(f"the page would be written over {name}, which is read; give another name")
        if not page.exists():
            # Some folders hold no files of ours, whatever their permissions say.
            with TemporaryFile(dir=folder):
                pass
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"the page cannot be written to {name}: {error.strerror}") from None
