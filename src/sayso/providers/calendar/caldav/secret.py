"""The password of a calendar, asked for once."""

from sayso.core.ports import Ground
from sayso.providers.accounts.keyring import Entry
from sayso.providers.accounts.password import password_of


class Secret:
    """Knows how to get the password, and asks for it once."""

    def __init__(self, ground: Ground, entry: Entry) -> None:
        self.entry = entry
        self._ground = ground
        self._known: str | None = None

    async def password(self) -> str:
        """Return the password. Raises `SetupError` that says how to give one."""
        if self._known is None:
            self._known = (await password_of(self._ground, self.entry)).password
        return self._known
