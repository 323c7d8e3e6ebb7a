"""Fuzz the readers and the path: no text is misread, no secret leaks, and nothing is decided without the person."""

import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import sayso.dialects.lines.reader as lines_propose
from sayso.assembly.parts import providers
from sayso.config.paths import also_own
from sayso.core.decision import Decision, Question
from sayso.core.dialect import Event, ProposalEvent, TextEvent
from sayso.core.encoding import Json
from sayso.dialects import blocks
from sayso.dialects import vocabulary as keyed
from sayso.dialects.fences import FencedBlock, FencedReader, Fences, Piece, Prose
from sayso.dialects.json import NotStrict, correct_json, strict_json
from sayso.dialects.lines.grammar import scan
from sayso.dialects.lines.reader import Body, LineEntry, LinesReader
from sayso.dialects.vocabulary import Keyed
from sayso.policy.case import Case, Opinion, deny
from sayso.policy.rules import RULES, own_home
from sayso.providers.files.local.sandbox import OwnedFolders, OwnedNumbers
from sayso.runtime.questions import Nobody
from sayso.runtime.registry import catalogue
from sayso.surfaces.cli import commands
from sayso.surfaces.cli.terminal import Terminal, find_terminal
from tests.harness.fuzz_decisions import CORNERS, decided
from tests.harness.fuzz_ground import CLICK, FLOOR, LAYOUTS
from tests.harness.fuzz_many import LEAST, MOST, READERS, Many
from tests.harness.fuzz_readers import Readers
from tests.harness.fuzz_sequences import Sequences
from tests.harness.fuzz_texts import Said
from tests.harness.long_run import Planted, Run, start_run
from tests.harness.planting import always, everywhere, method, rules

N = 10_000
"""Sequences of actions; for each of them every reader gets `INPUTS` inputs, in a short run `FEW_INPUTS`."""
INPUTS, FEW_INPUTS = 100, 30
SHORT = 20
LONG = 1_000
"""From this many on, all that there is must have been tried."""
WHOLE = 200
"""Of so many inputs one is held to everything, cut in every way; of a short run one of `WHOLE_OF_FEW`."""
WHOLE_OF_FEW = 50
FEWEST = 2_000
"""So many inputs each reader gets, however short the time."""
COVERED = 5_000
"""With so many inputs of its own the branches that a reader goes through are counted."""
ENOUGH = 90.0
A_GROUND = 25


def read(run: Run) -> None:
    """Feed every reader."""
    operations = catalogue(providers())
    told: dict[str, dict[str, object]] = {}
    for number, (name, dialect) in enumerate(READERS.items()):
        readers = Readers(run, dialect, operations, run.seed, timing=bool(run.planted) or not run.fixed(SHORT))
        many = Many(run, dialect, operations, run.seed)
        readers.begin()
        many.begin()
        _fed(run, readers, many, 1 - 1 / (len(READERS) - number))
        if run.planted and run.broken:
            return
        told[name] = {"inputs": many.inputs, "with a valid proposal": round(many.share, 3), "problems": len(many.codes)}
        told[name]["operations"] = len(readers.read | many.read)
        if run.n >= LONG:
            told[name]["branches"] = share = _covered(name, run.seed)
            if share < ENOUGH:
                run.gap(f"only {share} % of the branches of the reader {name} were gone through")
            if not LEAST <= many.share <= MOST:
                run.gap(f"{many.share:.0%} of the inputs of the reader {name} hold a valid proposal")
    run.coverage["readers"] = told


def _fed(run: Run, readers: Readers, many: Many, others: float) -> None:
    """Feed one reader all its inputs; where `MIN` was given, as many as leave the others their share of the rest."""
    keep = run.left() * others if run.minutes else 0
    inputs, whole = (INPUTS, WHOLE) if run.n >= LONG else (FEW_INPUTS, WHOLE_OF_FEW)
    for number in range(inputs * run.n):
        text = many.one()
        if number % whole == 0:
            readers.held(Said(text, None))
            readers.one()
        if number % max(5_000, inputs * run.n // 50) == 0:
            readers.timed()
        if (run.planted and run.broken) or (number >= FEWEST and run.left() <= keep):
            return


def _covered(name: str, seed: int) -> float:
    command = [sys.executable, "-m", "tests.harness.fuzz_many", name, str(COVERED), str(seed)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(ran.stdout)


def act(run: Run) -> None:
    """Play sequences of actions."""
    operations = catalogue(providers())
    asking = {id_ for id_, one in operations.items() if one.asks in {"floor", "click"}}
    for id_ in sorted((FLOOR | CLICK) - asking):
        run.breach(f"{id_} does not ask in every mode, and the requirements say that it does")
    sequences = Sequences(run, operations)
    each, ground = min(A_GROUND, -(-run.n // len(LAYOUTS))), 0
    while run.counts.get("sequences", 0) < run.n and not (run.broken and run.planted) and not run.spent():
        sequences.ground(ground, min(each, run.n - run.counts.get("sequences", 0)))
        ground += 1
    run.coverage |= {
        "layouts": len(sequences.layouts),
        "operations proposed": len(sequences.proposed),
        "operations done": len(sequences.done - {""}),
    }
    if run.n >= LONG and operations.keys() - sequences.proposed:
        run.gap(f"never proposed: {', '.join(sorted(operations.keys() - sequences.proposed))}")


def decide(run: Run) -> None:
    """Let programs without a terminal try to decide."""
    decided(run, whole=run.n >= LONG)
    run.coverage["corners"] = len(CORNERS)


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

    method(LinesReader, "_trim_chunk", always(worse))


def dropped() -> None:
    """Say nothing of a line that cannot be understood."""

    def make(sound: Callable[..., Any]) -> Callable[..., Any]:
        def worse(self: LinesReader, *given: object) -> list[Event]:
            told: list[Event] = sound(self, *given)
            return [event for event in told if not (isinstance(event, ProposalEvent) and not event.proposal.operation)]

        return worse

    method(LinesReader, "_propose", make)


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
    """Protect sayso's own folder, and forget what stands apart from it, by its path and by its number."""
    everywhere(also_own, always(()))
    second_names()


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


PARTS = {"readers": read, "sequences": act, "decisions": decide}


def main() -> int:
    """Run the parts that `PART` names, or all three, and say how they went."""
    run = start_run("fuzz", PLANTED, N)
    asked = os.environ.get("PART") or "readers sequences decisions"
    parts = [PARTS[name] for name in asked.split() if name in PARTS]
    if len(parts) < len(asked.split()):
        sys.exit(f"PART={asked}: there are {', '.join(PARTS)}")
    for found in pkgutil.iter_modules(commands.__path__, f"{commands.__name__}."):
        import_module(found.name)  # so that forks need not
    for part in parts:
        if not (run.planted and run.broken):
            part(run)
    return run.ended()


if __name__ == "__main__":
    sys.exit(main())
