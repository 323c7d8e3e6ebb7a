"""The tokens by which agents are known over HTTP: one for each name, made from one secret in sayso's own folder."""

import hmac
import os
import stat
from contextlib import suppress
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.ports import Ids
from sayso.core.quotes import quoted
from sayso.providers.browser.address import private

FILE = "mcp.key"
_START = "sayso_"
_ABOUT = b"sayso mcp token\0"
_PARTS = 3
"""How many words of the source of ids make up the secret; each has 100 random bits."""
_LEAST = 32


class Tokens:
    """Makes and checks tokens; no list of them is kept. Another secret makes all of them invalid."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, client: str) -> str:
        """Return the token of the agent that the person calls `client`; an empty name stands for all without one."""
        mac = hmac.digest(self._secret, _ABOUT + client.encode(), "sha256").hex()
        return f"{_START}{client}_{mac}" if client else f"{_START}{mac}"

    def client(self, token: str) -> str | None:
        """Return the name of the agent that a token is for; None if it is no token of this home."""
        client = token.removeprefix(_START).rpartition("_")[0]
        given = token.encode("utf-8", "replace")
        return client if hmac.compare_digest(given, self.of(client).encode()) else None


def secret_in(own: Path, ids: Ids) -> bytes:
    """Return the secret of this home, made at its first use in a file that only the person can read.

    Raises `SetupError` if the file is not as sayso writes it.
    """
    file = private(own) / FILE
    if not os.path.lexists(file):
        _make(file, "".join(ids.token() for _ in range(_PARTS)))
    secret, mode = file.read_bytes(), file.lstat().st_mode
    if not stat.S_ISREG(mode) or mode & 0o077 or len(secret) < _LEAST:
        raise SetupError(
            f"the secret for agents in {quoted(file)} is damaged, or others can read it; remove the file, and give "
            "your agents new tokens",
            "mcp.key",
        )
    return secret


def _make(file: Path, secret: str) -> None:
    """Write the secret to a new file, unless another process has just done so."""
    new = file.with_name(f"{FILE}.{os.getpid()}")
    new.touch(mode=0o600, exist_ok=False)
    try:
        new.write_text(secret)
        with suppress(FileExistsError):
            file.hardlink_to(new)
    finally:
        new.unlink()
