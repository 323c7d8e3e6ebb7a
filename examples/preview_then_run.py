"""Look at the plans first, let what asks wait, and decide later, perhaps in another process."""

import anyio

import sayso

REPLY = 'MOVE_FILE "~/Downloads/invoice.pdf" "~/Documents/invoice.pdf"'


async def main() -> None:
    """Preview, propose, and say yes to what waits."""
    async with sayso.open_home() as home:
        preview = await home.run(REPLY, dry_run=True)
        print(preview.outcomes[0].record.marks.message)
        await home.run(REPLY)

    async with sayso.open_home() as home:
        (waiting,) = await home.pending()
        report = await home.approve(waiting.id, sayso.Client(lambda question: True))
        print(report.outcomes[0].record.marks.message)


if __name__ == "__main__":
    anyio.run(main)
