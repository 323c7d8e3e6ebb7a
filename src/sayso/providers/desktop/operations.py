"""The operations on clipboard, notifications, speech, volume, do-not-disturb and shortcuts."""

from typing import Annotated, Literal

from msgspec import Meta

from sayso.core.errors import Candidate, ProviderError
from sayso.core.operation import operation
from sayso.core.plan import Answer, Change, Plan
from sayso.core.quotes import quoted
from sayso.core.schema import Line, Text
from sayso.providers.desktop.model import (
    RunShortcut,
    SetClipboard,
    SetDoNotDisturb,
    SetVolume,
    ShowNotification,
    Speak,
)
from sayso.providers.desktop.store import Desktop

Spoken = Annotated[Text, Meta(min_length=1, description="What is said aloud.")]

MOST_SHOWN = 80


@operation("clipboard.read", kind="read", asks="none", outside=True)
async def read_clipboard(desktop: Desktop) -> Answer:
    """Read the clipboard's text."""
    text = await desktop.clipboard()
    return Answer(f"Read {_characters(text)} from the clipboard", {"text": text}, text or "the clipboard holds no text")


@operation("clipboard.write", kind="write", asks="none")
async def write_clipboard(
    desktop: Desktop, text: Annotated[Text, Meta(description="What the clipboard holds afterwards.")]
) -> Plan:
    """Put text on the clipboard."""
    step, lost = SetClipboard(text, desktop.token()), await desktop.clipboard_loses()
    change = Change(step, undo=step.way_back())
    summary = f"Copy {_show_text(text)} to the clipboard"
    return Plan(summary, (change,), said_when_done="Copied to clipboard", warns=(lost,) if lost else ())


@operation("notify.show", kind="write", asks="none")
async def notify(  # noqa: PLR0913 - a notification has five parts
    desktop: Desktop,
    title: Line,
    message: Annotated[Text, Meta(description="What it says below its title.")],
    sound: Annotated[Line | None, Meta(description="The name of a sound; none without it.")] = None,
    *,
    priority: Literal["low", "normal", "high"] | None = None,
    type: Literal["info", "success", "warning", "error"] | None = None,  # noqa: A002 - the specification's name
) -> Plan:
    """Show a notification."""
    step = ShowNotification(desktop.token(), title, message, sound, priority or "normal", type or "info")
    summary = f"Show the notification {_show_text(title)}: {_show_text(message)}"
    lost = await desktop.sound_loses(sound) if sound else ""
    change = Change(step, undo=step.way_back())
    return Plan(summary, (change,), said_when_done="Showed notification", warns=(lost,) if lost else ())


@operation("speech.say", kind="write", asks="none")
async def say(desktop: Desktop, text: Spoken) -> Plan:
    """Speak a text aloud."""
    step = Speak(text, desktop.token())
    return Plan(f"Say {_show_text(text)}", (Change(step, undo=step.way_back()),), said_when_done="Speaking")


@operation("sound.set_volume", kind="write", asks="none")
async def set_volume(
    desktop: Desktop, level: Annotated[int, Meta(ge=0, le=100, description="0 is silent, 100 is loudest.")]
) -> Plan:
    """Set the output volume."""
    now, step = await desktop.volume(), SetVolume(level)
    if now.level == level and not now.muted:
        return Plan(f"The volume is {level} already")
    change = Change(step, undo=step.way_back(now), expects=(now.fact,))
    before = f"{now.level}, muted," if now.muted else str(now.level)
    return Plan(f"Set the volume from {before} to {level}", (change,), said_when_done=f"Set volume to {level}")


@operation("focus.set_dnd", kind="write", asks="none")
async def set_dnd(desktop: Desktop, state: Literal["ON", "OFF"]) -> Plan:
    """Turn do-not-disturb on or off."""
    on, word = state == "ON", state.lower()
    now = await desktop.focus()
    if now is not None and now.on == on:
        return Plan(f"Do not disturb is {word} already")
    step = SetDoNotDisturb(on)
    change = Change(step, undo=step.way_back(now), expects=() if now is None else (now.fact,))
    return Plan(f"Turn do not disturb {word}", (change,), said_when_done=f"Turned do not disturb {word}")


@operation("shortcut.run", kind="external", asks="none")
async def run_shortcut(
    desktop: Desktop,
    name: Annotated[Line, Meta(description="The exact name of a shortcut.")],
    input: Annotated[Text | None, Meta(description="Text that the shortcut gets.")] = None,  # noqa: A002 - the specification's name
) -> Plan:
    """Run one of the person's shortcuts and wait for its end."""
    known = await desktop.shortcuts()
    if known is not None and name not in known:
        listed = ", ".join(quoted(shortcut) for shortcut in known) or "none"
        there = tuple(Candidate(shortcut) for shortcut in known)
        raise ProviderError(f"no shortcut is called {quoted(name)}; there are: {listed}", "shortcut.unknown", there)
    given = "" if input is None else f" with {_show_text(input)}"
    step = RunShortcut(name, input)
    change = Change(step, undo=step.way_back())
    return Plan(f"Run the shortcut {quoted(name)}{given}", (change,), said_when_done="Ran shortcut")


def _show_text(text: str) -> str:
    line = " ".join(text.split())
    return quoted(line) if len(line) <= MOST_SHOWN else f"{quoted(line[:MOST_SHOWN] + '…')} ({_characters(text)})"


def _characters(text: str) -> str:
    return "1 character" if len(text) == 1 else f"{len(text):,} characters"
