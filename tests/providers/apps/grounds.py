"""What a backend of applications is built on in a test."""

import os
from collections.abc import Mapping
from pathlib import Path

from sayso.core.encoding import Json
from sayso.core.ports import BackendContext
from sayso.runtime.system import RandomIds
from sayso.testing.fakes import FakeClock


def ground(home: Path, environ: Mapping[str, str] | None = None, **settings: Json) -> BackendContext:
    """Return it, in this process's environment, without any folder that file actions may reach."""
    environ = dict(os.environ if environ is None else environ)
    return BackendContext(settings, str(home), str(home / ".sayso"), (), FakeClock(), RandomIds(), environ=environ)
