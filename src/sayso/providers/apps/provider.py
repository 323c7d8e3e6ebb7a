"""The apps provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.later import Later
from sayso.core.provider import Provider

APPS = Provider(
    store="apps",
    operations=Later(
        {
            "sayso.providers.apps.operations:OPERATIONS": (
                "app.list app.open app.activate app.quit app.place layout.activate"
            ),
        }
    ),
    steps=Later(
        {
            "sayso.providers.apps.steps:STEPS": (
                "app.open app.activate app.quit window.place window.place_new app.open_placed"
            ),
        }
    ),
    facts=Later({"sayso.providers.apps.facts:FACTS": "app_running app_installed window window_beneath"}),
    backends=MappingProxyType(
        {
            "x11": "sayso.providers.apps.x11.build:build",
            "sway": "sayso.providers.apps.sway.build:build",
            "kwin": "sayso.providers.apps.kwin.build:build",
            "wayland": "sayso.providers.apps.wayland:build",
            "memory": "sayso.providers.apps.memory:build",
        }
    ),
    finds="sayso.providers.apps.finding:kind",
    fits="sayso.providers.apps.finding:fits",
    elsewhere=MappingProxyType({"macos": "darwin"}),
    context=MappingProxyType(
        {
            "app.list": "sayso.providers.apps.context:running",
            "app.open": "sayso.providers.apps.context:installed",
            "app.activate": "sayso.providers.apps.context:windows",
            "app.place": "sayso.providers.apps.context:monitors",
            "layout.activate": "sayso.providers.apps.context:presets",
        }
    ),
)
