"""What the browser itself says of its tabs, as it came (S4-40)."""

import msgspec

from sayso.providers.browser.cdp import said
from sayso.providers.browser.cdp.chromium import PAGE, TAB, Connected
from sayso.providers.browser.live.own import leads_to


class _Told(said.Base, frozen=True):
    target_infos: tuple[msgspec.Raw, ...]


def raw_tabs(now: Connected, ports: frozenset[int]) -> str:
    """Return the JSON of all tabs but those of sayso's own pages."""
    infos = _infos(now, TAB) or _infos(now, PAGE)
    return f"[{','.join(bytes(info).decode() for info in infos if not _is_own(info, ports))}]"


def _infos(now: Connected, kinds: list[dict[str, str]]) -> tuple[msgspec.Raw, ...]:
    return now.devtools.ask(_Told, "Target.getTargets", filter=kinds).target_infos


def _is_own(info: msgspec.Raw, ports: frozenset[int]) -> bool:
    return leads_to(msgspec.json.decode(info, type=said.Target).url, ports)
