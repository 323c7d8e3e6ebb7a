"""Which operations can work as this home is set up now, so that an agent is not told of those that can only fail."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sayso.assembly.home import Home
from sayso.assembly.model import names_of
from sayso.core.operation import Operation
from sayso.models.vendors import EMBEDDED
from sayso.runtime.registry import Backends

_MEMORY = "memory"
"""The kind of backend that simulates, and so needs nothing set up."""


def possible_operations(home: Home) -> list[Operation]:
    """Return the enabled operations, without those that can only fail until the person sets something up.

    What may come back by itself, such as a browser that does not run now, is kept. No backend is built.
    """
    backends = home.tools.backends
    lacking = {store for store in backends if isinstance(backends, Backends) and backends.lacks_modules(store)}
    return [
        one
        for one in home.enabled_operations()
        if lacking.isdisjoint(one.stores) and _has_folders(home, one) and _IS_SET_UP.get(one.id, _always)(home)
    ]


def _has_folders(home: Home, one: Operation) -> bool:
    """Return whether there is a folder that a file operation may reach."""
    needs = one.reach == "roots" and any(
        parameter.kind == "path" and parameter.required for parameter in one.parameters
    )
    return not needs or bool(home.settings.policy.roots)


def _sends_mail(home: Home) -> bool:
    mail = home.settings.sections["mail"]
    return mail.get("kind") == _MEMORY or bool(mail.get("smtp_host") and mail.get("address"))


def _has_model(home: Home) -> bool:
    return home.settings.sections["talk"].get("kind") == _MEMORY or names_of(home.settings)[0] != EMBEDDED


def _has_actions(home: Home) -> bool:
    return home.settings.sections["talk"].get("kind") == _MEMORY or bool(home.own_actions())


def _has_shortcuts(home: Home) -> bool:
    return home.settings.sections["desktop"].get("kind") == _MEMORY or bool(home.settings.shortcuts)


def _has_desktop(home: Home) -> bool:
    return "desktop" in home.tools.backends


def _always(_: Home) -> bool:
    return True


_IS_SET_UP: Mapping[str, Callable[[Home], bool]] = MappingProxyType(
    {
        "mail.send": _sends_mail,
        "agent.call": _has_model,
        "template.run": _has_actions,
        "shortcut.run": _has_shortcuts,
        "file.open": _has_desktop,
        "file.reveal": _has_desktop,
    }
)
