"""Where a page goes: told before the work for it is done."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError, shown

__all__ = ["check_page"]


def check_page(page: Path) -> None:
    """Refuse a page that could not be written: without a folder, a folder itself, or where we may not write."""
    from trainables.paths import check_path

    name, folder = shown(str(page), 120), page.absolute().parent
    try:
        check_path("--html", str(page))
        if not folder.is_dir():
            raise UserError(
                f"the page cannot be written to {name}: there is no folder {shown(str(page.parent))}"
            )
        if page.is_dir():
            raise UserError(f"the page must be a file, but {name} is a folder; give a name in it")
        if not os.access(page if page.exists() else folder, os.W_OK):
            raise UserError(f"the page cannot be written to {name}: permission denied; choose another place")
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"the page cannot be written to {name}: {error.strerror}") from None
