"""The page of all settings, from the one list of them."""

import json

from sayso.config.named_tables import KINDS
from sayso.config.schema import SECTIONS, keys_of
from sayso.config.write import PROFILES
from sayso.core.settings import Setting
from tools.pages.markdown import code, fenced, page, prose, table

PRESET = """\
[[preset]]
name = "writing"
placements = [
  {app_name = "TextEdit", monitor = "main"},
  {app_name = "Notes", bounds = [0, 0, 600, 900], launch = true},
]
"""

SHORTCUTS = """\
[shortcuts."Focus hour"]
argv = ["timew", "start", "focus"]

[shortcuts.print]
argv = ["lp", "-o", "sides=two-sided", "{input}"]
input = "file"
seconds = 60
"""

TRIGGERS = """\
[[trigger]]
name = "wrap-up"
says = "The working day is over"
schedule = "weekdays 18:00"
zone = "Europe/Berlin"
lines = '''
CREATE_FOLDER "~/Documents/Diary"
'''

[[trigger]]
name = "scans"
says = "A scan has arrived"
event = "file"
folder = "~/Downloads"
pattern = "*.pdf"
cooldown_minutes = 10
lines = 'NOTIFY "Scan" "A scan has arrived"'
"""

ENVIRONMENT = (
    ("SAYSO_HOME", "The one folder for settings and state; without it the platform's folders are used."),
    ("HOME", "What `~` means in a path."),
    ("NO_COLOR", "Set to anything: no colour."),
    ("SAYSO_DEBUG", "Set to anything: faults in sayso are printed whole."),
)


def written() -> str:
    """Return the page."""
    sections = [part for section in SECTIONS for part in (f"## [{section}]", _section(section))]
    profiles = table(
        ("profile", "allows"),
        [(code(name), ", ".join(map(code, allowed or ("*",)))) for name, allowed in PROFILES.items()],
    )
    environment = table(("variable", "means"), [(code(name), says) for name, says in ENVIRONMENT])
    return page(
        "Settings", prose("settings.md"), *sections, prose("presets.md"), fenced(PRESET, "toml"),
        prose("triggers.md"), _triggers(), fenced(TRIGGERS, "toml"), prose("shortcuts.md"), fenced(SHORTCUTS, "toml"),
        prose("others.md"),
        "## Profiles", "`sayso config profile NAME` chooses a starting list of `policy.allowed_operations`.", profiles,
        "## Environment", environment,
    )  # fmt: skip


def _triggers() -> str:
    return table(("key", "is"), [(code(name), kind.expects) for name, kind in KINDS.items()])


def _section(section: str) -> str:
    return table(("key", "is", "default", "what it is for"), [_row(key) for key in keys_of(section).values()])


def _row(key: Setting) -> tuple[str, str, str, str]:
    default = key.written_default
    shown = "not set" if default is None else code(json.dumps(default, ensure_ascii=False))
    return code(key.name), key.kind.expects, shown, key.says
