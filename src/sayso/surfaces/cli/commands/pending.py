"""`sayso pending`: what waits for the person's decision."""

import argparse
from collections.abc import Iterator

from sayso.assembly import Home
from sayso.core.record import Record
from sayso.runtime.results import row_json
from sayso.surfaces.cli.context import Here, in_home, terminal_width
from sayso.surfaces.cli.exit_codes import Exit
from sayso.surfaces.cli.registry import Command
from sayso.surfaces.cli.render import about, moment
from sayso.surfaces.cli.text import one_line, visible


def configure(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def act(arguments: argparse.Namespace, here: Here) -> int:
    """List it."""

    async def waiting(home: Home) -> list[Record]:
        return await home.pending()

    records = in_home(here, waiting)
    if here.json:
        here.document({"rows": [row_json(record) for record in records]})
    else:
        here.print(*(_lines(records, terminal_width(here)) if records else ["Nothing waits for you."]))
    return Exit.FINE


def _lines(records: list[Record], width: int) -> Iterator[str]:
    for run in dict.fromkeys(record.run for record in records):
        mine = sorted((record for record in records if record.run == run), key=lambda record: record.index)
        until = f", until {moment(mine[0].expires)}" if mine[0].expires else ""
        yield f"{visible(run)}  since {moment(mine[0].time)}{until}"
        for record in mine:
            yield f"{record.index + 1:>4}. {one_line(about(record), width - 6)}"
            yield f"      {record.id}"
        yield f"      sayso approve {visible(run)}   or   sayso decline {visible(run)}"


COMMAND = Command(configure, act, "sayso pending")
