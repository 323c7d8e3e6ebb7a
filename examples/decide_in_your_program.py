"""Show each question in your own program, and let your person decide.

Nothing is moved, deleted or replaced before `decide` has returned True; its yes holds for exactly the
plans in the question, and for nothing else.
"""

import anyio

import sayso

REPLY = """\
MOVE_FILE "~/Downloads/invoice.pdf" "~/Documents/invoice.pdf"
DELETE_FILE "~/Downloads/old.zip"
"""


def decide(question: sayso.Question) -> bool | None:
    """Print what would be done, and say no when something would be deleted; None would let it wait."""
    for card in question.cards:
        print(f"{card.index + 1}. {card.plan.summary}")
    for card in question.asking:
        print(f"   asks because {card.verdict.because}")
    return not any(card.operation == "file.delete" for card in question.cards)


async def main() -> None:
    """Run the reply and print what became of each proposal."""
    async with sayso.open_home() as home:
        report = await home.run(REPLY, approver=sayso.Client(decide))
        for outcome in report.outcomes:
            print(outcome.record.operation, outcome.record.state)


if __name__ == "__main__":
    anyio.run(main)
