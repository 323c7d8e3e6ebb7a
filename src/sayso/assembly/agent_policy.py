"""Whether an agent may make a call by itself: the rules that hold for what sayso does, applied to what others do."""

import os
import shlex
from collections.abc import Iterable, Iterator

from sayso.core.agent_calls import SHELL, AgentAnswer, AgentCall
from sayso.core.decision import Verdict
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation
from sayso.core.plan import CannotUndo, Change, Plan, RevealFile, Step
from sayso.policy.case import Case, Rules, opinions, strictest
from sayso.policy.paths import normal
from sayso.policy.rules import (
    ADMITTED,
    own_home,
    own_program,
    refuse_denied_names,
    refuse_while_paused,
    writes_program,
)
from sayso.policy.settings import Policy
from sayso.providers.files.model import Write

RULES: Rules = {
    "paused": refuse_while_paused,
    "denied_names": refuse_denied_names,
    "own_home": own_home,
    "own_program": own_program,
    "program": writes_program,
}
"""The rules for calls that have no plan, because they are commands or outside the folders that actions may reach."""
LOOKS = frozenset(
    {"log", "show", "sessions", "pending", "parse", "operations", "prompt", "context", "doctor", "try", "completion"}
)
"""The commands of sayso that an agent may run: they decide nothing and change nothing of the person's."""
DECIDES = frozenset(
    {
        "setup", "ask", "chat", "run", "undo", "approve", "decline", "settle", "grants", "pause", "resume", "task",
        "habit", "reminder", "calendar", "template", "trigger", "service", "browser", "mcp", "hook", "acp", "config",
        "backup", "restore", "serve",
    }
)  # fmt: skip
"""The other commands of sayso."""
OWN_COMMAND = "sayso's own commands that decide or change something are for you alone; run it on a terminal of your own"
_NOT_UNDONE = CannotUndo("")
_ENDS_WORDS = ";|&<>()`\n"


async def _nobody() -> Plan:
    raise NotImplementedError("an agent does this itself")


_NAMING = Operation(SHELL, "read", "none", _nobody)
"""Names paths that are looked at; what is denied to look at is denied to change."""


def path_in(call: AgentCall, text: str, policy: Policy) -> str:
    """Return a path as absolute, as the agent's tools read it. Raises `ProposalError`."""
    return normal(text if text.startswith(("/", "~")) else f"{call.folder}/{text}", policy.home)


def judge_names(policy: Policy, paths: Iterable[str]) -> Verdict:
    """Return whether these paths may be named at all: a denial, or that nothing speaks against it."""
    return _strictest(policy, _NAMING, (RevealFile(path) for path in _with_links_resolved(paths)))


def judge_writing(policy: Policy, operation: Operation, path: str, content: str) -> Verdict:
    """Return whether a file outside the folders that actions may reach may be written: denied, asked about, or open."""
    steps = (Write(one, content, "none") for one in _with_links_resolved([path]))
    return _strictest(policy, operation, steps)


def judge_command(policy: Policy, call: AgentCall, command: str) -> Verdict:
    """Return whether a command may run, by the paths and programs that its text names.

    What a shell puts together while it runs is in no text, so this refuses mistakes and not a program that hides.
    """
    words = list(words_of(command))
    if _decides(words):
        return Verdict("deny", OWN_COMMAND, "own_command", code="agent.own_command")
    return judge_names(policy, [path for word in words for path in _paths_of(word, call, policy)])


def answer_to(verdict: Verdict, policy: Policy, operation: str) -> AgentAnswer:
    """Return what the agent is told; a question that only a mode asks is left to the agent's own settings.

    What sayso asks about in every mode, the agent is made to ask the person, unless the settings waive it.
    """
    if verdict.ruling == "deny":
        return AgentAnswer("deny", verdict.because)
    if verdict.ruling == "ask" and verdict.level != "mode" and operation not in policy.waive_floor:
        return AgentAnswer("ask", verdict.because)
    return AgentAnswer()


def words_of(command: str, depth: int = 3) -> Iterator[str]:
    """Yield the words of a command, and those of commands inside its words, such as after `sh -c`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_ENDS_WORDS)
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        words = list(lexer)
    except ValueError:  # an open quotation mark
        words = "".join(" " if letter in f"{_ENDS_WORDS}\"'" else letter for letter in command).split()
    for place, word in enumerate(words):
        yield word
        inner = place > 0 and words[place - 1].startswith("-") and words[place - 1].endswith("c")
        if depth and inner and " " in word:
            yield from words_of(word, depth - 1)


def _strictest(policy: Policy, operation: Operation, steps: Iterable[Step]) -> Verdict:
    plan = Plan("", tuple(Change(step, _NOT_UNDONE) for step in steps))
    return strictest(opinions(RULES, Case(policy, operation, {}, plan)), ADMITTED)


def _with_links_resolved(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(form for path in paths for form in (path, os.path.realpath(path))))


def _paths_of(word: str, call: AgentCall, policy: Policy) -> Iterator[str]:
    """Yield the paths that a word may be: the whole of it, and what follows `=` as in `--file=…`."""
    for text in dict.fromkeys((word, word.partition("=")[2])):
        if text and "\0" not in text and not text.startswith("-"):
            try:
                yield path_in(call, text, policy)
            except ProposalError:
                continue  # an address, or no path at all


def _decides(words: list[str]) -> bool:
    """Return whether one of the words is the program sayso, and the next that is no option one of `DECIDES`."""
    for place, word in enumerate(words):
        if word.rpartition("/")[2] == "sayso":
            following = next((one for one in words[place + 1 :] if not one.startswith("-")), "")
            if following in DECIDES:
                return True
    return False
