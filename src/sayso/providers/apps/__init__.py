"""Declares the apps provider: its store, operations, back ends, context and settings."""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider, Requirement
from sayso.core.settings import memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

APPS = Provider(
    store="apps",
    operations=LazySequence(OPERATIONS["apps"]),
    steps=LazySequence(STEPS["apps"]),
    facts=LazySequence(FACTS["apps"]),
    outside=(),
    backends=MappingProxyType(
        {
            "x11": "sayso.providers.apps.x11:build",
            "sway": "sayso.providers.apps.sway:build",
            "kwin": "sayso.providers.apps.kwin:build",
            "wayland": "sayso.providers.apps.session:build",
            "macos": "sayso.providers.apps.macos.backend:build",
            "memory": "sayso.providers.apps.memory:build",
        }
    ),
    requires=MappingProxyType(
        {
            "x11": Requirement(
                ("xcffib",),
                "windows of an X session need the extra “desktop” ({error}); {install}",
                "screen.extra",
                "desktop",
            )
        }
    ),
    only_on=MappingProxyType(dict.fromkeys(("x11", "sway", "kwin", "wayland"), "linux") | {"macos": "darwin"}),
    finds="sayso.providers.apps.session:kind",
    fits="sayso.providers.apps.session:fits",
    context=MappingProxyType(
        {
            "app.list": "sayso.providers.apps.context:running",
            "app.open": "sayso.providers.apps.context:installed_names",
            "app.activate": "sayso.providers.apps.context:windows",
            "app.place": "sayso.providers.apps.context:monitors",
            "layout.activate": "sayso.providers.apps.context:presets",
        }
    ),
    serves="applications and windows",
    settings=(memory_world("apps"),),
)
