"""Tell faults that ended one action in one line each, and in full only on demand."""

import logging

from sayso.surfaces.cli.escape import visible
from sayso.surfaces.cli.here import Here


def quiet(here: Here) -> None:
    """Let a fault that ended one action be told in one line, and in full only on demand."""
    handler = logging.StreamHandler(here.err)
    if not here.environ.get("SAYSO_DEBUG"):
        handler.setFormatter(_OneLine("sayso: %(message)s; with SAYSO_DEBUG=1 the details are printed"))
    logger = logging.getLogger("sayso")
    logger.handlers[:] = [handler]
    logger.propagate = False


class _OneLine(logging.Formatter):
    """Leaves the traceback out."""

    def formatException(self, ei: object) -> str:  # noqa: N802 - the name that logging calls
        return ""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record).rstrip())
