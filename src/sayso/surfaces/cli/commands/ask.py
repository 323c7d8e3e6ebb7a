"""`sayso ask`: send the person's words to a language model, and carry out what it proposes."""

import argparse
from collections.abc import Sequence
from typing import cast, get_args

from msgspec import Struct
from msgspec.structs import replace

from sayso.assembly import Home
from sayso.assembly.model import open_model
from sayso.assistant.asker import Asker, AskResult, Attachment
from sayso.assistant.entry_points import Name
from sayso.core.conversation import Model
from sayso.core.encoding import Json
from sayso.core.proposal import TERMINAL
from sayso.core.record import State
from sayso.models.vendors import EMBEDDED
from sayso.runtime.results import Report
from sayso.surfaces.cli.app import Command, UsageProblem
from sayso.surfaces.cli.context import CommandContext, read_piped, read_text, terminal_width
from sayso.surfaces.cli.exit_codes import Exit, exit_of_all, exit_of_error
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.prompts import TerminalApprover
from sayso.surfaces.cli.references import find_session
from sayso.surfaces.cli.reply_stream import TerminalReplyView, trace_lines
from sayso.surfaces.cli.run_loop import AllowlistApprover, AttendedApprover, run_attended, show, with_flag
from sayso.surfaces.cli.terminal import AsksBack, NoTerminal, PromptTerminal, find_terminal

PIPED = "standard input"
MOST_ANSWERS = 5
"""Maximum number of the model's questions that one command lets the person answer."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="WORDS",
        help="what you want; - is standard input. Text that is piped in without - goes along as data",
    )
    parser.add_argument("--entry", choices=get_args(Name), default="commands", help="how it is answered")
    parser.add_argument(
        "--model", default="", metavar="NAME", help="use this model, this once, and not the one in the settings"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="say yes wherever only policy.mode asks, in this one run")
    parser.add_argument("--trace", action="store_true", help="print all that the model was told and said")
    parser.add_argument(
        "--session",
        default="",
        metavar="S",
        help="continue this conversation; “latest” is the last one, and without it a new one begins",
    )


class Ask(Struct, frozen=True):
    """The arguments of the command."""

    words: str
    typed: str
    """The words typed on the command line, without the text from standard input, which others may have written."""
    entry: str
    model: str
    session: str
    dry_run: bool
    yes: bool
    piped: str = ""
    """The text that was piped in beside the words; it is data, and no part of what the person wants."""

    async def ask(
        self, home: Home, here: CommandContext, person: AttendedApprover, view: TerminalReplyView
    ) -> tuple[AskResult, bool]:
        """Ask the model; if it asks back, let the person answer in the same session.

        Return the result, and whether the person was asked its last question and left it without an answer.
        """
        model: Model = open_model(home.settings, home.tools.ids, self.model or None, clock=home.tools.clock)
        asker = Asker(
            await find_session(home.sessions, home.ids, self.session, self.entry, "sayso ask"),
            with_flag(AllowlistApprover(person.approver, home, here), yes=self.yes),
            self.dry_run,
            view,
            wrote=self.typed,
            attached=(Attachment(PIPED, self.piped),) if self.piped.strip() else (),
            principal=TERMINAL,
        )
        answer = await home.ask(self.words, self.entry, model, asker)
        for _ in range(MOST_ANSWERS):
            said = _answer_question(answer, person)
            if not said:
                return answer, person.at is not None and answer.report.needs_clarification
            asker = replace(asker, wrote=f"{asker.wrote}\n{said}")
            answer = await home.ask(said, self.entry, model, asker)
        return answer, False


def _answer_question(answer: AskResult, person: AttendedApprover) -> str:
    """Return the person's answer to the model's question; empty if there is no question or nobody answers."""
    if person.at is None or not answer.report.needs_clarification:
        return ""
    at: TerminalApprover = person.at
    talk = PromptTerminal(at.terminal, at.draw(), at.style, at.interrupted, at.ended)
    with person.progress.quiet():
        who = "the built-in rules ask" if answer.model == EMBEDDED else "the model asks"
        return AsksBack(talk).answer(answer.report.clarification_reason, who)


def act(arguments: argparse.Namespace, here: CommandContext) -> int:
    """Ask the model and print the result."""
    most = settings_of(here).policy.limits.reply_bytes
    said = [read_text(word, here, most) if word == "-" else word for word in arguments.words]
    words = _text(said)
    if not words:
        raise UsageProblem("sayso ask: what do you want? write it after the command")
    typed = _text([word for word in arguments.words if word != "-"])
    piped = "" if "-" in arguments.words else read_piped(here, most)
    wish = Ask(
        words, typed, arguments.entry, arguments.model, arguments.session, arguments.dry_run, arguments.yes, piped
    )
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    shown: list[bool] = []

    async def work(home: Home, person: AttendedApprover) -> tuple[AskResult, bool]:
        view = TerminalReplyView(here, person.progress.quiet, person.stop.descriptor)
        try:
            return await wish.ask(home, here, person, view)
        finally:
            shown.append(view.any)

    answer, asked = run_attended(here, work, terminal)
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    _print_trace(here, answer, traced=arguments.trace)
    code = _print_answer(here, answer, why, silent=any(shown) or asked, asked=asked)
    if not isinstance(terminal, NoTerminal) and here.out.isatty():
        _tell_unasked(here, answer.report)
    return code


def _text(words: Sequence[str]) -> str:
    return " ".join(words).encode("utf-8", "replace").decode().strip()


def _print_trace(here: CommandContext, answer: AskResult, *, traced: bool) -> None:
    """Print what the model got only in part, and with `traced` all of the request."""
    left_out = cast("list[dict[str, str]]", answer.trace.context.get("left_out") or [])
    for one in left_out:
        if one["store"].startswith("attachment"):
            here.tell(f"sayso: of the text that was piped in, {one['why']} to the model")
    if traced and not here.json:
        here.print(*trace_lines(answer.trace.json(), terminal_width(here), here.style))


def _print_answer(here: CommandContext, answer: AskResult, why: str, *, silent: bool, asked: bool) -> int:
    report = answer.report
    shown = report if here.json else without_looks(answer)
    if asked:  # its question stands above already
        shown = replace(shown, needs_clarification=False)
    code = show(here, shown, why_waiting=why, nothing=_nothing(answer, silent=silent), more=_document(answer))
    code = exit_of_all([report]) if asked else code
    _tell_used(here, answer)
    if report.needs_clarification and not (report.asks_about_nothing and answer.model == EMBEDDED):
        here.tell(f"sayso: answer with “sayso ask --session {answer.session} …”; nothing was done yet")
    return exit_of_error(answer.problem) if answer.problem and code == Exit.FINE else code


def _tell_unasked(here: CommandContext, report: Report) -> None:
    """Say why nothing was asked, as long as the person has not chosen how often they are asked."""
    done = [one.record for one in report.outcomes if one.record.state is State.DONE and one.record.marks.changes]
    unasked = done and not any(one.marks.approved_by for one in done)
    if unasked and not settings_of(here).places.config.exists():
        here.tell(UNASKED)


UNASKED = (
    "sayso: you were not asked, since nothing was moved, deleted or replaced; “sayso setup” lets you choose when you "
    "are asked"
)


def _tell_used(here: CommandContext, answer: AskResult) -> None:
    """Print what the ask took, and why it was stopped and how to go on if it was."""
    if answer.model != EMBEDDED and (answer.used.turns > 1 or not answer.used.about):
        here.tell(f"sayso: {answer.used.text}")
    if answer.stopped:
        here.tell(f"sayso: {answer.stopped}; go on with “sayso ask --session {answer.session} go on”")


def without_looks(answer: AskResult) -> Report:
    """Return the report without the contents that the model looked at before it went on with other actions."""
    acted = [step for step in answer.trace.steps if any(report.outcomes for report in step.reports)]
    before = {one.record.id for step in acted[:-1] for report in step.reports for one in report.outcomes}
    outcomes = [
        replace(one, text="", data={}) if one.record.id in before and one.record.plan is None else one
        for one in answer.report.outcomes
    ]
    return replace(answer.report, outcomes=tuple(outcomes))


def _nothing(answer: AskResult, *, silent: bool) -> str | None:
    if silent:
        return None
    return "No action needed." if answer.entry == "automation" else "Nothing to do."


def _document(answer: AskResult) -> dict[str, Json]:
    return {
        "run": answer.report.run or None,
        "session": answer.session,
        "entry": answer.entry,
        "model": answer.model,
        "text": answer.text,
        "stopped": answer.stopped or None,
        "used": answer.used.json(),
        "trace": answer.trace.json(),
    }


COMMAND = Command(
    configure,
    act,
    'sayso ask "put Chrome on the left half" --dry-run',
    "What policy asks about is asked on your terminal; where there is none, it waits for “sayso approve”.",
)
