"""Bugs that can be planted for the fuzz run; each weakens sayso in this process and its forks only."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import sayso.dialects.lines.reader as lines_propose
from sayso.config.paths import also_own
from sayso.core.decision import Decision, Question
from sayso.core.dialect import Event, ProposalEvent, TextEvent
from sayso.core.encoding import Json
from sayso.dialects import blocks, keyed
from sayso.dialects.fences import FencedBlock, FencedReader, Fences, Piece, Prose
from sayso.dialects.json import NotStrict, correct_json, strict_json
from sayso.dialects.lines.grammar import scan
from sayso.dialects.lines.reader import Body, LineEntry, LinesReader
from sayso.dialects.vocabulary import Keyed
from sayso.policy.case import Case, Opinion, deny
from sayso.policy.rules import RULES, own_home
from sayso.providers.files.local.sandbox import OwnedFolders, OwnedNumbers
from sayso.runtime.questions import Nobody
from sayso.surfaces.cli.terminal import Terminal, find_terminal
from tests.harness.planting import always, everywhere, method, rules
from tests.harness.told import Planted


def half() -> None:
    """Take what a heredoc held so far for the whole of it where its end never came."""
    sound = vars(lines_propose)["_read_entry"]

    def worse(form: object, entry: LineEntry) -> object:
        body = entry.body
        if body is not None and body.end is None:
            entry = LineEntry(entry.index, entry.number, entry.line, Body(body.text, "END", body.raw))
        return sound(form, entry)

    everywhere(sound, worse)


def chunks() -> None:
    """Take the newline of a CR LF that came in two pieces for a line end of its own."""

    def worse(self: LinesReader, chunk: str) -> str:
        return chunk

    method(LinesReader, "_continued", always(worse))


def dropped() -> None:
    """Say nothing of a line that cannot be understood."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: LinesReader, *given: object) -> list[Event]:
            told: list[Event] = sound(self, *given)
            return [event for event in told if not (isinstance(event, ProposalEvent) and not event.proposal.operation)]

        return worse

    method(LinesReader, "_proposed", make)


def again() -> None:
    """Read the line that has begun from its beginning with each piece that comes."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: LinesReader, chunk: str) -> object:
            begun = vars(self).setdefault("_begun", [])
            begun.append(chunk)
            scan("".join(begun).rpartition("\n")[2])
            return sound(self, chunk)

        return worse

    method(LinesReader, "feed", make)


def unchecked() -> None:
    """Propose what does not pass the door."""
    sound = vars(lines_propose)["_count_problem"]
    everywhere(sound, always(None))


def half_block() -> None:
    """Take a block whose JSON breaks off for what it would be if it were closed."""

    def worse(text: str) -> object:
        try:
            return strict_json(text)
        except NotStrict:
            whole = correct_json(text) if text.lstrip().startswith("{") else ""
            if not whole:
                raise
            return strict_json(whole)

    name = "strict_json"
    if vars(blocks).get(name) is not strict_json:
        sys.exit("blocks read JSON in another way; plant this bug anew")
    setattr(blocks, name, worse)


def literal() -> None:
    """Put a word in the place of an argument that is missing."""
    sound = vars(keyed)["read_proposal"]

    def worse(place: object, name: Keyed, members: Mapping[str, Json], *given: Any, **named: Any) -> object:
        return sound(place, name, {**dict.fromkeys(name.keys, "something"), **members}, *given, **named)

    everywhere(sound, worse)


def leak() -> None:
    """Show the signs of a fence as they come in, before it is known what they open."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: Fences, chunk: str) -> list[Piece]:
            told: list[Piece] = sound(self, chunk)
            return [*told, Prose(chunk)] if not told and chunk.strip("`~") == "" else told

        return worse

    method(Fences, "feed", make)


def shown_too() -> None:
    """Show a block beside proposing what it says."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: object, pieces: list[Piece]) -> list[Event]:
            return [*(TextEvent(piece.raw) for piece in pieces if isinstance(piece, FencedBlock)), *sound(self, pieces)]

        return worse

    method(FencedReader, "_handle_pieces", make)


def no_policy() -> None:
    """Let no rule say anything."""
    rules(**dict.fromkeys(RULES, always(None)))


def own_home_open() -> None:
    """Protect nothing of sayso's own."""
    rules(own_home=always(None))
    method(OwnedFolders, "may_hold", always(always(False)))
    method(OwnedFolders, "lies_in", always(always(False)))
    method(OwnedNumbers, "has", always(always(False)))
    method(OwnedNumbers, "__contains__", always(always(False)))


def settings_apart() -> None:
    """Protect sayso's own folder, and forget what stands apart from it."""
    everywhere(also_own, always(()))


def second_names() -> None:
    """Know sayso's files by their paths alone."""
    method(OwnedNumbers, "has", always(always(False)))


def quoting() -> None:
    """Show, in the refusal, the beginning of the file that is refused."""

    def worse(case: Case) -> Opinion | None:
        opinion = own_home(case)
        path = case.arguments.get("path")
        place = Path(os.environ["HOME"] + path[1:]) if isinstance(path, str) and path.startswith("~/") else None
        if opinion is None or place is None or not place.is_file():
            return opinion
        beginning = place.read_text("utf-8", "replace")[:60]
        return deny(f"{opinion.because} (it begins: {beginning})", opinion.code)

    rules(own_home=worse)


def silence() -> None:
    """Take nobody's silence for a yes."""

    async def worse(self: object, question: Question) -> Decision | None:
        return Decision(True, "client", question.digest)

    method(Nobody, "ask", always(worse))


def terminal() -> None:
    """Take whatever is there for the person's terminal, and what it says for a yes."""

    class Anything(Terminal):
        @property
        def wrong(self) -> str | None:
            return None

        def fresh_line(self, prompt: str, interrupted: int) -> str | None:
            return "y"

    def worse(path: str = "") -> Terminal:
        return Anything(os.open(os.devnull, os.O_RDWR))

    everywhere(find_terminal, worse)


PLANTED: Planted = {
    "half": half,
    "chunks": chunks,
    "dropped": dropped,
    "again": again,
    "unchecked": unchecked,
    "half-block": half_block,
    "literal": literal,
    "leak": leak,
    "shown-too": shown_too,
    "policy": no_policy,
    "own-home": own_home_open,
    "settings-apart": settings_apart,
    "second-names": second_names,
    "quoting": quoting,
    "silence": silence,
    "terminal": terminal,
}
