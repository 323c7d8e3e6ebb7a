"""Say of what could serve a part of the desktop too why it does not, and what to install or set for it to."""

from collections.abc import Iterator, Mapping

from sayso.core.capability import Other
from sayso.providers.desktop.linux.clipboards import WL_COPY
from sayso.providers.desktop.linux.opening import OPENERS
from sayso.providers.desktop.linux.voice import SPEAKERS
from sayso.providers.programs.running import Runner

BOARDS: Mapping[str, tuple[str, str, str]] = {
    "wl-paste": (WL_COPY, "WAYLAND_DISPLAY", "wl-clipboard"),
    "xclip": ("xclip", "DISPLAY", "xclip"),
    "xsel": ("xsel", "DISPLAY", "xsel"),
}
"""For each program of a clipboard: what must be there, what must lead to a session, and what installs it."""
PACKAGES = {"gio": "libglib2.0-bin", "xdg-open": "xdg-utils", "espeak-ng": "espeak-ng", "spd-say": "speech-dispatcher"}
SWITCHES = ("dunst", "gnome", "kde", "xfce")
"""What the switches for do-not-disturb are called, each after the notification service that has it."""
OWN_SHORTCUTS = "shortcuts"


def boards(runner: Runner, chosen: str) -> tuple[Other, ...]:
    """Say why the other programs of a clipboard were passed over."""
    return tuple(_board(runner, name, chosen) for name in BOARDS if name != chosen)


def _board(runner: Runner, name: str, chosen: str) -> Other:
    needs, leads, package = BOARDS[name]
    if not runner.environ.get(leads):
        return Other(name, f"{leads} is not set")
    if runner.find(needs) is None:
        return Other(name, "it is not installed", f"install {package}")
    return Other(name, f"{chosen} is there, and is looked for first")


def speakers(runner: Runner, chosen: str) -> tuple[Other, ...]:
    """Say why the other speaker was passed over."""
    return tuple(_speakers(runner, chosen))


def _speakers(runner: Runner, chosen: str) -> Iterator[Other]:
    for name, speaker in SPEAKERS.items():
        if speaker.program == chosen:
            continue
        if runner.find(speaker.program) is None:
            yield Other(name, "it is not installed", f"install {PACKAGES[speaker.program]}")
        else:
            yield Other(name, f"{chosen} was chosen before it", f"sayso config set desktop.speech {name}")


def openers(runner: Runner, chosen: str) -> tuple[Other, ...]:
    """Say why the other program that opens files was passed over."""
    return tuple(
        Other(name, f"{chosen} is there, and is looked for first")
        if runner.find(name)
        else Other(name, "it is not installed", f"install {PACKAGES[name]}")
        for name, _ in OPENERS
        if name != chosen
    )


def switches(chosen: str) -> tuple[Other, ...]:
    """Say why the other switches for do-not-disturb were passed over."""
    return tuple(_switches(chosen))


def _switches(chosen: str) -> Iterator[Other]:
    if chosen == OWN_SHORTCUTS:
        yield from (Other(name, "desktop.dnd_on and desktop.dnd_off name shortcuts of your own") for name in SWITCHES)
        return
    yield from (Other(name, f"the notification service here is {chosen}") for name in SWITCHES if name != chosen)
    yield Other(OWN_SHORTCUTS, "desktop.dnd_on and desktop.dnd_off name none of your own", "write two, and name them")
