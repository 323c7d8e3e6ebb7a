"""The apps provider: what assembly needs to know of it."""

from types import MappingProxyType

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

APPS = Provider(
    store="apps",
    operations=LazySequence(
        {
            "sayso.providers.apps.operations:OPERATIONS": (
                "app.list app.open app.activate app.quit app.place layout.activate"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.apps.model:STEPS": (
                "app.open app.activate app.quit window.place window.place_new app.open_placed"
            ),
        }
    ),
    facts=LazySequence({"sayso.providers.apps.model:FACTS": "app_running app_installed window window_beneath"}),
    backends=MappingProxyType(
        {
            "x11": "sayso.providers.apps.x11.build:build",
            "sway": "sayso.providers.apps.sway:build",
            "kwin": "sayso.providers.apps.kwin:build",
            "wayland": "sayso.providers.apps.session:build",
            "memory": "sayso.providers.apps.memory:build",
        }
    ),
    finds="sayso.providers.apps.session:kind",
    fits="sayso.providers.apps.session:fits",
    elsewhere=MappingProxyType({"macos": "darwin"}),
    context=MappingProxyType(
        {
            "app.list": "sayso.providers.apps.context:running",
            "app.open": "sayso.providers.apps.context:installed_names",
            "app.activate": "sayso.providers.apps.context:windows",
            "app.place": "sayso.providers.apps.context:monitors",
            "layout.activate": "sayso.providers.apps.context:presets",
        }
    ),
)
