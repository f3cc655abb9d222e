"""Where checkpoints lie: a folder, or an object store that every node reaches without a file system of its own."""

from explorer.storage.addresses import check_storage, local_folder, shown_storage
from explorer.storage.opening import open_files

__all__ = ["check_storage", "local_folder", "open_files", "shown_storage"]
