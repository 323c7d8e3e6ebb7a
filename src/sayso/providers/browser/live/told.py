"""What the settings say of the browser, read once."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.browser.address import Rules
from sayso.providers.browser.live.where import Kind, Wanted
from sayso.providers.browser.reading import Settings


@dataclass(frozen=True)
class Told:
    """The settings of one browser."""

    wanted: Wanted
    settings: Settings
    downloads: Path | None
    """Where files that a page gives out may go; None for nowhere."""
    program: str = ""
    """Which browser `sayso browser` starts; empty for the first of the known ones."""


def told(ground: Ground, kind: Kind) -> Told:
    """Return what the settings say. Raises `SetupError` that names what is wrong."""
    said = ground.settings
    try:
        rules = Rules(
            msgspec.convert(said.get("sites") or {}, dict[str, str]),
            msgspec.convert(said.get("schemes") or (), tuple[str, ...]),
        )
        asking = msgspec.convert(ground.options.get("confirm_sites", ()), tuple[str, ...])
    except msgspec.ValidationError as wrong:
        raise SetupError(f"what the settings say of sites is wrong: {wrong}", "config.browser") from wrong
    url = str(said.get(kind.setting.partition(".")[2]) or "")
    wanted = Wanted(url, bool(said.get("remote", False)), bool(said.get("default_profile", False)))
    downloads = downloads_in(str(said.get("downloads") or ""), ground.home, ground.roots)
    return Told(wanted, Settings(rules, asking), downloads, str(said.get("program") or ""))


def downloads_in(named: str, home: str, roots: Sequence[str]) -> Path | None:
    """Return where files that a page gives out may go: within the roots, or nowhere (BR-07). Raises `SetupError`."""
    real = [Path(root).resolve() for root in roots]
    if named:
        folder = Path(named).resolve()
        if not any(folder.is_relative_to(root) for root in real):
            raise SetupError(
                f"browser.downloads in the settings is {named}, which is in none of the folders that may be reached",
                "browser.downloads",
            )
        return folder
    usual = Path(home, "Downloads").resolve()
    return next((root for root in real if root == usual), real[0] if real else None)
