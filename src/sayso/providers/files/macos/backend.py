"""The backend for the disk of a Mac: that of any disk, except that macOS itself moves things to the Trash."""

from sayso.core.ports import BackendContext
from sayso.providers.disk.syscalls import beneath
from sayso.providers.files.local.backend import LocalBackend
from sayso.providers.files.macos.trash import MacTrash, MacTrashes
from sayso.providers.macos.engine import build_engine


def build(context: BackendContext) -> LocalBackend:
    """Return the backend for the disk of this Mac."""
    trashes = MacTrashes(context.home, context.clock, context.ids)
    backend = LocalBackend(context, beneath(), trashes, MacTrash(build_engine(context)).put_in)
    backend.name = "macos"
    return backend
