"""Put two questions at once, from two threads, on the terminal that this runs at."""

import os
import threading

import anyio

from sayso.core.decision import Card, Question, Verdict
from sayso.core.plan import Change, Plan, Step
from sayso.surfaces.cli.prompts import TerminalApprover
from sayso.surfaces.cli.terminal import Terminal, find_terminal
from sayso.surfaces.cli.text import Style


def question(name: str) -> Question:
    """Return a question about one effect."""
    plan = Plan(f"Do the {name} effect", (Change(Step(), Step()),))
    verdict = Verdict("ask", "it asks", "mode", "mode")
    return Question("run_1", (Card("do_1", 0, "x.y", {}, plan, verdict, name),), name)


def main() -> None:
    """Ask both and print what was decided about each."""
    terminal = find_terminal()
    assert isinstance(terminal, Terminal)
    readable, _ = os.pipe()
    decided: dict[str, bool] = {}

    def ask(name: str) -> None:
        decision = anyio.run(
            TerminalApprover(terminal, lambda: name, Style(), lambda: readable, lambda: False).ask, question(name)
        )
        assert decision is not None
        assert decision.digest == name
        decided[name] = decision.yes

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, yes in decided.items():
        print(f"{name}: {yes}")  # noqa: T201 - its screen is what the test reads


main()
