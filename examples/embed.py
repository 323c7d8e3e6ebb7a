"""Take a model's reply down the path in your own program, and take it back again."""

import anyio

import sayso

REPLY = 'CREATE_FOLDER "~/Documents/Invoices"\nWRITE_FILE "~/Documents/Invoices/index.md" "# Invoices"'


async def main() -> None:
    """Do what the reply proposes, print what became of it, and undo the whole run."""
    async with sayso.open_home() as home:
        report = await home.run(REPLY)
        for outcome in report.outcomes:
            print(outcome.record.state, "-", outcome.record.marks.message)
        await home.undo(report.run)


if __name__ == "__main__":
    anyio.run(main)
