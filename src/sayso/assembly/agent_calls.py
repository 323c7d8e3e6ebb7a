"""What other people's coding agents do by themselves: judged before, kept for an undo, and written down after.

sayso does not carry out such a call and never says yes to it. It says no where its own actions would be refused, has
the agent ask the person where these would ask in every mode, and otherwise leaves the question to the agent.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from msgspec.structs import replace

from sayso.assembly.agent_notes import BegunCall, BegunCalls
from sayso.assembly.agent_policy import answer_to, judge_command, judge_names, judge_writing, path_in
from sayso.assembly.agent_trees import MOST_CHANGES, TreeChange, changes_between, counted
from sayso.assembly.home import Home
from sayso.core.agent_calls import (
    ENTRY,
    SHELL,
    AgentAnswer,
    AgentCall,
    EditsFile,
    ReadsFile,
    RunsCommand,
    WritesFile,
)
from sayso.core.decision import Verdict
from sayso.core.encoding import Json
from sayso.core.errors import ProviderError, Refused, SaysoError
from sayso.core.plan import CannotUndo, Change, Fact, Facts, Plan, facts_json, plan_json
from sayso.core.ports import TreeSurvey, WatchesFiles, offers
from sayso.core.quotes import quoted
from sayso.core.record import NOT_KEPT, Progress, Record, State, StepOutcome, StepRecord, action_id, run_id
from sayso.policy.rules import judge, show_path
from sayso.providers.files.model import (
    ExchangeFiles,
    Free,
    Keep,
    MakeFolders,
    RemoveFolders,
    Rename,
    Replace,
    SameContent,
    Unchanged,
    Write,
)
from sayso.providers.files.store import Files, Gap
from sayso.runtime.apply import JournalWriter
from sayso.runtime.recovery import Recovery, calling_process, is_dead
from sayso.runtime.services import digest_of, moment

WRITE, READ, STORE = "file.write", "file.read", "files"
OUTSIDE = "path.outside_roots"
NEVER_TOLD = "never told how this ended"
_LONGEST = 8 * 2**20
_SHOWN = 50
_LONGEST_COMMAND = 200
_DEAD_FOR = timedelta(minutes=10)
"""How old a call of an agent that is gone must be before it counts as over; its end may be being told just now."""


async def before(home: Home, call: AgentCall) -> AgentAnswer:
    """Judge a call that an agent is about to make, and keep what an undo of it needs. Raises `SaysoError`."""
    for begun in list(_notes(home).all()):
        if home.clock.now() - moment(begun.time) > _DEAD_FOR and is_dead(begun.owner, home.tools.owner):
            await _end(home, begun, NEVER_TOLD)
    return await _Before(home, call).answer()


async def after(home: Home, call: AgentCall, *, failed: bool = False) -> Record | None:
    """Write down what a call changed, and return the row; None for a call that only reads."""
    if isinstance(call.does, ReadsFile):
        return None
    begun = _notes(home).get(call.call)
    why = "reported an error" if failed else ""
    return await _end(home, begun or _untold(home, call), why)


def _untold(home: Home, call: AgentCall) -> BegunCall:
    """Return a note about a call of which the agent told nothing before."""
    does, policy = call.does, home.tools.policy()
    operation = SHELL if isinstance(does, RunsCommand) else WRITE
    about = {"command": does.command} if isinstance(does, RunsCommand) else {"path": path_in(call, does.path, policy)}
    verdict = Verdict("allow", "nobody was asked: it was told of only afterwards", "untold")
    why = "the agent told of it only afterwards, so nothing was kept"
    summary = f"Something that {call.agent} told of only afterwards: {call.tool}"
    plan = Plan(summary, said_when_done="Done", data={NOT_KEPT: why})
    return BegunCall(call, home.tools.now(), calling_process(), operation, about, plan_json(plan), verdict, unkept=why)


async def ended(home: Home, agent: str, session: str) -> None:
    """Write down the calls of an agent's session that have begun and of whose end the agent told nothing."""
    for begun in list(_notes(home).all()):
        if (begun.call.agent, begun.call.session) == (agent, session):
            await _end(home, begun, NEVER_TOLD)


async def _end(home: Home, begun: BegunCall, failed: str) -> Record:
    record = await _After(home, begun, failed).record()
    _notes(home).drop(begun.call.call)
    return record


def _notes(home: Home) -> BegunCalls:
    return BegunCalls(home.settings.places.agents, home.tools.ids)


class _Before:
    """One call of an agent before it is made."""

    def __init__(self, home: Home, call: AgentCall) -> None:
        self._home, self._tools, self._call = home, home.tools, call
        self._files: Files = cast("Any", home.tools.backend(STORE)).reads
        # Which operations a model may propose says nothing about the tools of an agent that the person runs.
        self._policy = replace(home.tools.policy(), allowed_operations=("*",))

    async def answer(self) -> AgentAnswer:
        match self._call.does:
            case RunsCommand() as does:
                return await self._command(does)
            case ReadsFile(path):
                return await self._reading(path_in(self._call, path, self._policy))
            case does:
                return await self._writing(path_in(self._call, does.path, self._policy), does)

    async def _reading(self, path: str) -> AgentAnswer:
        verdict = judge_names(self._policy, [path])
        try:
            await self._files.opened(path)
        except Refused as refused:
            if refused.code != OUTSIDE and verdict.ruling != "deny":
                verdict = Verdict("deny", str(refused), refused.rule, code=refused.code)
        except ProviderError:
            pass  # nothing is there, or it cannot be read; the agent's own tool says so
        if verdict.ruling == "deny":
            return await self._refuse(READ, {"path": path}, verdict)
        return AgentAnswer()

    async def _writing(self, path: str, does: WritesFile | EditsFile) -> AgentAnswer:
        arguments: dict[str, Json] = {"path": path}
        content, plan = "", Plan("")
        try:
            content = await self._content(path, does)
            plan = await self._plan(path, content)
            arguments["content"] = content
            verdict = judge(self._policy, self._tools.catalogue[WRITE], plan, arguments=arguments)
        except (Refused, ProviderError) as problem:
            verdict = Verdict("deny", str(problem), getattr(problem, "rule", "plan"), code=problem.code)
        unkept = ""
        if verdict.code == OUTSIDE:
            arguments["content"] = content = content or _new_text(does)
            verdict = judge_writing(self._policy, self._tools.catalogue[WRITE], path, content)
            unkept = "sayso keeps nothing there: it is outside the folders that actions may reach (policy.roots)"
            plan = Plan(
                f"Write {quoted(show_path(path, self._policy))}", said_when_done="Wrote file", data={NOT_KEPT: unkept}
            )
        if verdict.ruling == "deny":
            return await self._refuse(WRITE, arguments, verdict)
        plan, kept = await self._with_copies(plan)
        self._note(BegunCall(
            self._call, self._tools.now(), calling_process(), WRITE, arguments, plan_json(plan), verdict,
            facts_json(kept), unkept=unkept,
        ))  # fmt: skip
        return answer_to(verdict, self._policy, WRITE)

    async def _content(self, path: str, does: WritesFile | EditsFile) -> str:
        """Return what the file will hold; if what is to be replaced is not found, what is there and the new text."""
        if isinstance(does, WritesFile):
            return does.content
        if not await self._files.exists(path):
            return _new_text(does)
        now = await self._files.read(path, _LONGEST)
        if not now.exact:
            return _new_text(does)
        text = now.text
        for one in does.replacements:
            if one.old and one.old in text:
                text = text.replace(one.old, one.new, -1 if one.everywhere else 1)
            else:
                text += one.new
        return text

    async def _plan(self, path: str, content: str) -> Plan:
        try:
            plan = await self._tools.catalogue[WRITE].call({STORE: self._files}, {"path": path, "content": content})
        except ProviderError as problem:
            if problem.code != "path.no_folder":
                raise
            plan = await self._plan_with_folders(path, content)
        return replace(cast("Plan", plan), summary=f"{cast('Plan', plan).summary}, by {self._call.agent}")

    async def _plan_with_folders(self, path: str, content: str) -> Plan:
        """Return the plan for a file in a folder that does not exist, since agents make such folders themselves."""
        folder, _, name = path.rpartition("/")
        gap = await self._files.gap(folder)
        if not isinstance(gap, Gap):
            raise ProviderError(f"{quoted(path)} cannot be written", "path.no_folder")
        real = "/".join([gap.place.path, *gap.below])
        token = self._files.token
        make = MakeFolders(gap.place.path, gap.below, token())
        write = Write(f"{real}/{name}", content, token())
        return Plan(
            f"Write the new file {quoted(show_path(path, self._policy))} in a new folder",
            (
                Change(make, make.way_back(token), (gap.place.free, gap.place.parent)),
                Change(write, write.way_back(token)),
            ),
            said_when_done="Wrote file",
        )

    async def _with_copies(self, plan: Plan) -> tuple[Plan, Facts]:
        """Return the plan and the facts about the copies that its undo needs; without copies, it has no undo."""
        backend = self._tools.backend(STORE)
        kept: list[Fact] = []
        changes: list[Change] = []
        for change in plan.changes:
            if isinstance(change.do, Replace) and not offers(backend, WatchesFiles):
                changes.append(replace(change, undo=CannotUndo("nothing here keeps copies for it")))
                continue
            if isinstance(change.do, Replace) and offers(backend, WatchesFiles):
                async with Recovery(self._tools).holding({STORE}):
                    kept.append(await backend.keep_copy(change.do.path, change.do.kept))
            changes.append(change)
        return replace(plan, changes=tuple(changes)), tuple(kept)

    async def _command(self, does: RunsCommand) -> AgentAnswer:
        arguments: dict[str, Json] = {"command": does.command, "folder": self._call.folder}
        verdict = judge_command(self._policy, self._call, does.command)
        if verdict.ruling == "deny":
            return await self._refuse(SHELL, arguments, verdict)
        seen, unkept = await _survey(self._home, self._call.project, keep=True)
        where = quoted(show_path(self._call.folder, self._policy))
        plan = Plan(f"Run {quoted(_short(does.command))} in {where}, by {self._call.agent}")
        self._note(BegunCall(
            self._call, self._tools.now(), calling_process(), SHELL, arguments, plan_json(plan), verdict, seen=seen,
            unkept=unkept,
        ))  # fmt: skip
        return AgentAnswer()

    def _note(self, begun: BegunCall) -> None:
        _notes(self._home).put(begun)

    async def _refuse(self, operation: str, arguments: dict[str, Json], verdict: Verdict) -> AgentAnswer:
        marks = Progress(State.REFUSED, error=verdict.because, code=verdict.code, ended_at=self._tools.now())
        record = new_record(self._home, self._call, operation, arguments, marks)
        await JournalWriter(self._tools.journal).new(replace(record, verdict=verdict), event="agent refused")
        return answer_to(verdict, self._policy, operation)


def _short(command: str) -> str:
    return command if len(command) <= _LONGEST_COMMAND else f"{command[:_LONGEST_COMMAND]}…"


def _new_text(does: WritesFile | EditsFile) -> str:
    return does.content if isinstance(does, WritesFile) else "".join(one.new for one in does.replacements)


async def _survey(home: Home, folder: str, *, keep: bool) -> tuple[TreeSurvey | None, str]:
    """Return what is in the tree of a folder, or why that is not known."""
    backend = home.tools.backend(STORE)
    if not offers(backend, WatchesFiles):
        return None, "nothing here can see what it changed"
    try:
        async with Recovery(home.tools).holding({STORE}):
            real = cast("Any", backend).reads.literal_path(folder)
            return await backend.survey(real, keep=keep), ""
    except SaysoError as problem:
        return None, str(problem)


def new_record(home: Home, call: AgentCall, operation: str, arguments: dict[str, Json], marks: Progress) -> Record:
    """Return the row of a call of an agent."""
    key = home.tools.ids.key()
    return Record(
        key=key,
        id=action_id(key),
        run=run_id(key),
        index=0,
        time=home.tools.now(),
        dialect="",
        entry=ENTRY,
        session=call.session,
        operation=operation,
        arguments=arguments,
        marks=marks,
        said=call.tool,
        policy=home.tools.policy().hash,
        principal=f"{ENTRY}:{call.agent}",
    )


class _After:
    """One call of an agent after it was made; `failed` says what went wrong, if anything did."""

    def __init__(self, home: Home, begun: BegunCall, failed: str) -> None:
        self._home, self._tools, self._begun, self._failed = home, home.tools, begun, failed
        self._backend: Any = home.tools.backend(STORE)
        self._files: Files = self._backend.reads
        self._kept = home.tools.codec.facts_of(begun.kept)

    async def record(self) -> Record:
        """Write the row and return it."""
        plan = self._tools.codec.plan(self._begun.plan)
        try:
            plan, progress = await (
                self._of_command(plan) if self._begun.operation == SHELL else self._of_writing(plan)
            )
        except SaysoError as problem:
            plan, progress = self._unknown(plan, str(problem))
        record = new_record(self._home, self._begun.call, self._begun.operation, dict(self._begun.arguments), progress)
        backends = {STORE: self._backend.name} if plan.changes else {}
        record = replace(record, plan=plan_json(plan), verdict=self._begun.verdict, backends=backends)
        record = replace(record, digest=digest_of(record, self._tools.catalogue))
        await JournalWriter(self._tools.journal).new(record, event="agent did")
        return record

    async def _of_writing(self, plan: Plan) -> tuple[Plan, Progress]:
        if not plan.changes and not self._begun.unkept:
            return plan, replace(self._progress((), plan.summary, happened=True), state=State.UNCHANGED, error=None)
        if not plan.changes:
            told = f"{plan.said_when_done}; {self._begun.unkept}"
            return plan, self._progress((), told, happened=not self._failed)
        lefts = [await self._left(change) for change in plan.changes]
        happened = self._has_changed(plan.changes[-1], lefts[-1])
        return plan, self._progress(lefts if happened else (), plan.said_when_done, happened=happened)

    def _has_changed(self, change: Change, left: Facts) -> bool:
        was = next((fact for fact in self._kept if isinstance(fact, Unchanged)), None)
        now = left[0]
        if isinstance(change.do, Replace) and was is not None and isinstance(now, SameContent):
            return (was.size, was.sha256) != (now.size, now.sha256)
        return not isinstance(now, Free)

    async def _of_command(self, plan: Plan) -> tuple[Plan, Progress]:
        begun = self._begun
        seen, why = (None, begun.unkept) if begun.seen is None else await self._surveyed()
        if seen is None or begun.seen is None:
            return self._unknown(plan, why)
        found = changes_between(begun.seen, seen, self._tools.ids.token)
        where = quoted(show_path(begun.call.project, self._tools.policy()))
        said = f"While it ran, in {where}: {counted(found)}"
        if not (begun.seen.whole and seen.whole):
            said += "; only part of the folder was looked at, since it holds too much"
        if len(found) > MOST_CHANGES:
            why = f"{len(found)} things changed, more than the {MOST_CHANGES} that are written down one by one"
            plan = replace(plan, data={NOT_KEPT: why})
            return plan, self._progress((), said, happened=True)
        lefts = [await self._left(one.change, one) for one in found]
        preview = "\n".join([one.told for one in found[:_SHOWN]] + ["…"] * (len(found) > _SHOWN))
        plan = replace(
            plan,
            changes=tuple(one.change for one in found),
            said_when_done=said,
            on_failure="go on",
            preview=preview,
        )
        return plan, self._progress(lefts, said, happened=True)

    def _unknown(self, plan: Plan, why: str) -> tuple[Plan, Progress]:
        """Return the plan without what could be taken back, and the marks of an action of which no more is known."""
        note = f"what it changed is not known: {why}"
        marks = self._progress((), f"{self._begun.call.agent} did it; {note}", happened=True)
        return replace(plan, changes=(), data={NOT_KEPT: note}), marks

    async def _surveyed(self) -> tuple[TreeSurvey | None, str]:
        return await _survey(self._home, self._begun.call.project, keep=False)

    async def _left(self, change: Change, seen: TreeChange | None = None) -> Facts:
        """Return the facts that are true now and that an undo of the change expects."""
        match change.do:
            case Rename(source, destination):
                return (await self._fact(destination), Free(source))
            case Replace(path):
                return (await self._fact(path), *self._kept)
            case ExchangeFiles(path):
                return (await self._fact(path), *await self._copy(seen))
            case Keep(path):
                return (Free(path), *await self._copy(seen))
            case RemoveFolders(path):
                return (Free(path),)
            case MakeFolders():
                return ()
            case step:
                return (await self._fact(cast("Any", step).path),)

    async def _copy(self, seen: TreeChange | None) -> Facts:
        if seen is None or seen.kept is None:
            return ()
        fact = await self._backend.kept_copy(*seen.kept)
        return () if fact is None else (fact,)

    async def _fact(self, path: str) -> Fact:
        try:
            watches = offers(self._tools.backend(STORE), WatchesFiles)
            found: Fact | None = await self._backend.content_at(path) if watches else None
            return found or (await self._files.look(path)).fact
        except ProviderError:
            return Free(path)

    def _progress(self, lefts: Sequence[Facts], said: str, *, happened: bool) -> Progress:
        now, agent = self._tools.now(), self._begun.call.agent
        changes = tuple(StepRecord(StepOutcome.DONE, facts_json(left)) for left in lefts)
        marks = Progress(State.DONE, message=said, ended_at=now, decided_at=now, changes=changes)
        if not happened:
            why = f"{agent} {self._failed}" if self._failed else f"{agent} did not do it"
            error = f"{why}; nothing changed"
            return replace(marks, state=State.SKIPPED, message=None, error=error, code="agent.not_done")
        if self._failed:
            return replace(
                marks, state=State.FAILED, message=None, error=f"{agent} {self._failed}. {said}", code="agent.failed"
            )
        return marks
