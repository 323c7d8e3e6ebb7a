"""`sayso template`: list, check, preview and run the actions that the person defined."""

import argparse
import json
import shlex
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import cast

from sayso.assembly import Home
from sayso.assembly.action_log import LoggedRun
from sayso.assembly.actions import Acted, Actions, Became, Wanted
from sayso.core.encoding import Json
from sayso.core.errors import SetupError
from sayso.core.quotes import quoted, visible
from sayso.core.record import SUCCESS, Record, State
from sayso.providers.talk.store import TemplateParameter
from sayso.surfaces.cli.app import Command, UsageProblem, whole_number
from sayso.surfaces.cli.context import CommandContext, terminal_width
from sayso.surfaces.cli.direct import Subcommand, act_on
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.home import in_home
from sayso.surfaces.cli.journal import settings_of
from sayso.surfaces.cli.prompts import talking
from sayso.surfaces.cli.render import moment
from sayso.surfaces.cli.run_loop import AllowlistApprover, AttendedApprover, RunOptions, run_attended, show, with_flag
from sayso.surfaces.cli.terminal import NoTerminal, Terminal, find_terminal
from sayso.surfaces.cli.text import one_line, sentence
from sayso.templates.definition import ActionTemplate
from sayso.templates.from_run import ActionDraft, DoneStep, draft_action, write_draft
from sayso.templates.library import load_file, load_library
from sayso.templates.runner import NewAction, create_action


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("what", nargs="?", default="list", metavar="|".join(DEEDS), help="what to do; without it, list")
    parser.add_argument(
        "words", nargs="*", metavar="ID|FILE|NAME", help="an action by its id; with check a file, with new a name"
    )
    parser.add_argument(
        "--from",
        metavar="RUN|ID",
        help="with new: write an action that does what this run, or one action of the log, did",
    )
    parser.add_argument("--param", action="append", metavar="NAME=VALUE", help="with run and preview: a parameter")
    parser.add_argument("--dry-run", action="store_true", help="with run: say what would be done, and do nothing")
    parser.add_argument("--yes", action="store_true", help="with run: say yes wherever only policy.mode asks")
    parser.add_argument("--now", action="store_true", help="with run: do at once what would be held back")
    parser.add_argument("--session", metavar="S", help="with run: which conversation it belongs to")
    parser.add_argument("--limit", type=whole_number, metavar="N", help="with log: how many at most; 50")


def _list(arguments: argparse.Namespace, here: CommandContext) -> int:
    folder = settings_of(here).places.actions
    library, width = load_library(folder), terminal_width(here)
    if here.json:
        warnings: list[Json] = [*library.warnings]
        here.document({"templates": [_document(one) for one in library.templates], "warnings": warnings})
        return Exit.FINE
    for one in library.templates:
        here.print(*sentence(visible(f"{one.id}: {one.description}"), width))
    if not library.templates:
        none = f"There are no actions of your own in {folder}; “sayso template new NAME” writes one."
        here.print(*sentence(visible(none), width))
    for warning in library.warnings:
        here.tell(f"sayso: {warning}")
    return Exit.FINE


def _show(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _print_template(
        here, load_library(settings_of(here).places.actions).get(_word(arguments, "which action? name its id"))
    )


def _check(arguments: argparse.Namespace, here: CommandContext) -> int:
    word = _word(arguments, "which file?")
    if word.endswith(".py") or "/" in word or Path(word).exists():
        return _print_template(here, load_file(Path(word)))
    return _show(arguments, here)


def _new(arguments: argparse.Namespace, here: CommandContext) -> int:
    if _run_named(arguments):
        return _new_from_run(arguments, here)
    begun = create_action(settings_of(here).places.actions, _word(arguments, "what is it to be called?"))
    if here.json:
        here.document(_document(load_file(begun.file)))
        return Exit.FINE
    _tell_written(here, begun, "which works as it is: change in it what you want done.", " --param whom=Ana")
    return Exit.FINE


def _run_named(arguments: argparse.Namespace) -> str:
    return vars(arguments)["from"] or ""


def _new_from_run(arguments: argparse.Namespace, here: CommandContext) -> int:
    run = _run_named(arguments)
    name = _word(arguments, "what is it to be called?") if arguments.words else ""

    async def draft(home: Home) -> ActionDraft:
        records = await home.log_of(run)
        if not records:
            raise SetupError(f"no run or action {quoted(run)} is in the log; see: sayso log", "template.no_run")
        day = datetime.fromisoformat(records[0].time).astimezone().strftime("%Y-%m-%d")
        return draft_action([_step(one) for one in records if one.undo_of is None], home.operations, day)

    drafted = in_home(here, draft)
    begun = write_draft(settings_of(here).places.actions, name, drafted)
    template = load_file(begun.file)
    left_out: list[Json] = [*drafted.left_out]
    notes: list[Json] = [*drafted.notes]
    if here.json:
        here.document({**_document(template), "left_out": left_out, "notes": notes})
        return Exit.FINE
    required = "".join(f" --param {one.name}=…" for one in template.parameters if one.required)
    _tell_written(here, begun, "which asks for the same again; its values are parameters now.", required)
    for words in (*(f"left out: {one}" for one in drafted.left_out), *drafted.notes):
        here.tell(f"sayso: {words}")
    return Exit.FINE


def _step(record: Record) -> DoneStep:
    if record.code_hash is not None:
        return DoneStep(record.operation or "", {}, "an action of your own asked for it already")
    done = record.state in SUCCESS or record.state is State.UNDONE
    return DoneStep(record.operation or "", record.arguments, "" if done else f"it was not done ({record.state.value})")


def _tell_written(here: CommandContext, begun: NewAction, what: str, params: str) -> None:
    here.print(*sentence(visible(f"Wrote {begun.file}, {what}"), terminal_width(here)))
    here.print(
        "", "Next:", f"  sayso template check {_typed(begun.file)}", f"  sayso template preview {begun.id}{params}"
    )


def _typed(file: Path) -> str:
    """Return a path as it is typed into a shell, short where the shell knows the home folder."""
    whole, home = str(file), f"{Path.home()}/"
    return f"~/{shlex.quote(whole.removeprefix(home))}" if whole.startswith(home) else shlex.quote(whole)


def _print_template(here: CommandContext, template: ActionTemplate) -> int:
    if here.json:
        here.document(_document(template))
        return Exit.FINE
    width = terminal_width(here)
    here.print(*sentence(visible(f"{template.id}: {template.name} ({template.file})"), width))
    here.print(*sentence(visible(template.description), width, "    "))
    for one in template.parameters:
        here.print(*sentence(visible(_takes(one)), width, "    "))
    return Exit.FINE


def _takes(one: TemplateParameter) -> str:
    choices = f", one of {', '.join(str(choice) for choice in one.enum)}" if one.enum else ""
    left_out = "required" if one.required else "may be left out" if one.default is None else f"else {one.default}"
    return f"--param {one.name}=…  {one.type}{choices} ({left_out}) {one.description}".rstrip()


def _preview(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _carry_template(arguments, here, dry_run=True)


def _run(arguments: argparse.Namespace, here: CommandContext) -> int:
    return _carry_template(arguments, here, dry_run=arguments.dry_run)


def _carry_template(arguments: argparse.Namespace, here: CommandContext, *, dry_run: bool) -> int:
    id_ = _word(arguments, "which action? name its id; “sayso template” lists them")
    template = load_library(settings_of(here).places.actions).get(id_)
    params = params_of(arguments.param or [], template)
    terminal = NoTerminal("with --json nothing is asked") if here.json else find_terminal()
    params |= _ask_for_missing(template, params, terminal, here)

    async def work(home: Home, person: AttendedApprover) -> Acted:
        asks = with_flag(AllowlistApprover(person.approver, home, here), yes=arguments.yes)
        return await Actions(home).run(id_, params, Wanted(arguments.session or "", asks, dry_run))

    acted = run_attended(here, work, terminal, RunOptions(at_once=arguments.now))
    why = terminal.why if isinstance(terminal, NoTerminal) else "nobody answered"
    nothing = None if acted.handled.result is None else "It asked for nothing to be done."
    code = show(here, acted.report, why_waiting=why, nothing=nothing, more=acted.json())
    if not here.json:
        _print(here, acted)
    return Exit.FAILED if code is Exit.FINE and not acted.result["success"] else code


def _ask_for_missing(
    template: ActionTemplate, params: Mapping[str, Json], terminal: Terminal | NoTerminal, here: CommandContext
) -> dict[str, Json]:
    """Return the required values that were not given, as the person types them; without a terminal, say how.

    Raises `UsageProblem` where a value is still missing.
    """
    missing = [one for one in template.parameters if one.required and one.name not in params]
    found: dict[str, Json] = {}
    if missing and isinstance(terminal, Terminal):
        with talking(here, terminal) as talk:
            for one in missing:
                typed = (talk.line(visible(f"{_names(one)}?")) or "").strip()
                if not typed:
                    break
                found[one.name] = _value(typed, one.type)
    left = [one for one in missing if one.name not in found]
    if left:
        given = " ".join(f"--param {one.name}=…" for one in left)
        shows = f"“sayso template show {template.id}” says more"
        raise UsageProblem(f"Invalid parameters: {quoted(left[0].name)} is missing; add {given}; {shows}")
    return found


def _names(one: TemplateParameter) -> str:
    """Return a parameter as a question names it: its name, its choices or type, and what it is."""
    kind = f"one of {', '.join(str(choice) for choice in one.enum)}" if one.enum else one.type
    return f"{one.name} ({kind}){f': {one.description}' if one.description else ''}".rstrip(".?")


SAYS: Mapping[Became, str] = MappingProxyType(
    {
        "done": "says",
        "planned": "would say",
        "waiting": "says of what still waits",
        "unknown": "says of what nobody knows to be done",
        "not done": "says of what was not done",
    }
)


def _print(here: CommandContext, acted: Acted) -> None:
    width = terminal_width(here)
    for one in acted.reports:
        here.print(*sentence(visible(f"{acted.template.id} {SAYS[one.became]} ({one.level}): {one.text}"), width))
    words = visible(str(acted.result["message"]))
    if acted.result["success"]:
        here.print(*sentence(f"{'It would say: ' if acted.report.dry_run else ''}{words}", width))
    else:
        nothing = "" if acted.report.outcomes else "; nothing was done"
        here.tell(f"sayso: {words}{nothing}")


def _log(arguments: argparse.Namespace, here: CommandContext) -> int:
    id_ = _word(arguments, "which action? name its id")

    async def look(home: Home) -> tuple[str, list[LoggedRun]]:
        actions = Actions(home)
        name = next((one.name for one in actions.library.templates if one.id == id_), id_)
        return name, actions.read_log(id_, arguments.limit or 50)

    name, runs = in_home(here, look)
    if here.json:
        here.document({"rows": [one.json() for one in runs]})
        return Exit.FINE
    for one in runs:
        here.print(*_logged(name, one, terminal_width(here)))
    if not runs:
        here.print(f"{quoted(visible(id_))} has not been run.")
    return Exit.FINE


def _logged(name: str, run: LoggedRun, width: int) -> list[str]:
    """Return a run as lines for a person: when, how long and what came of it, its name, parameters and lines.

    The name is that in its file; a label that somebody gave an offer of it is quoted.
    """
    entry = run.entry
    mark, took = "✓" if entry.result.get("success") else "✗", _duration(entry.duration)
    params = "  ".join(f"{name}={_short(value)}" for name, value in entry.params.items())
    head = f"{moment(entry.timestamp)}  {mark}  {took:>7}  {entry.result.get('message')}"
    offered = f", offered as {quoted(run.label)}" if run.label not in {"", name} else ""
    told = [line for line in run.said if line.text != entry.error]
    return [
        *sentence(visible(head), width, "", "    "),
        one_line(f"    {name}{offered}{f', with {params}' if params else ''}", width),
        *(line for one in told for line in sentence(visible(f"{one.level}: {one.text}"), width, "    ", "      ")),
    ]


def _duration(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= _SECOND else f"{milliseconds} ms"


_SECOND = 1000


def _short(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def params_of(given: list[str], template: ActionTemplate) -> dict[str, Json]:
    """Return the values of `--param`, each parsed as the type that the action declares. Raises `UsageProblem`."""
    types = {one.name: one.type for one in template.parameters}
    out: dict[str, Json] = {}
    for text in given:
        name, found, value = text.partition("=")
        if not found:
            raise UsageProblem(f"sayso template: {quoted(text)} is no parameter; write it as name=value")
        if name in out:
            raise UsageProblem(f"sayso template: {quoted(name)} is given twice")
        out[name] = _value(value, types.get(name, "string"))
    return out


def _value(text: str, kind: str) -> Json:
    """Return the value parsed as JSON, unless its type is string; invalid JSON is returned as text."""
    if kind == "string":
        return text
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        return text


def _word(arguments: argparse.Namespace, question: str) -> str:
    words: list[str] = arguments.words
    if len(words) != 1 or not words[0].strip():
        raise UsageProblem(f"sayso template {arguments.what}: {question}")
    return words[0]


def _document(template: ActionTemplate) -> dict[str, Json]:
    """Return an action in S3's JSON format, with its file and the hash of its code."""
    properties: dict[str, Json] = {
        one.name: {
            "type": one.type,
            "description": one.description,
            **({"enum": list(one.enum)} if one.enum else {}),
            **({"default": one.default} if one.default is not None else {}),
        }
        for one in template.parameters
    }
    required: list[Json] = [one.name for one in template.parameters if one.required]
    return {
        "id": template.id,
        "name": template.name,
        "description": template.description,
        "icon": template.icon or None,
        "parameterSchema": {"type": "object", "properties": properties, "required": required},
        "file": template.file,
        "code": template.code,
    }


DEEDS: Mapping[str, Subcommand] = MappingProxyType(
    {
        "list": Subcommand(_list, words=False),
        "show": Subcommand(_show),
        "check": Subcommand(_check),
        "new": Subcommand(_new, ("from",)),
        "preview": Subcommand(_preview, ("param", "session")),
        "run": Subcommand(_run, ("param", "dry_run", "yes", "now", "session")),
        "log": Subcommand(_log, ("limit",)),
    }
)
COMMAND = Command(
    configure,
    act_on("template", DEEDS),
    "sayso template run archive_old_newsletters --param daysOld=30",
    "An action is a Python file in the folder “actions” of sayso's home. It can only ask, and all that it wants done "
    "is shown to you before anything happens.",
)
