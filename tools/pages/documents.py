"""The page of the JSON documents, each made by the program itself and explained member by member."""

import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import anyio

from sayso.assembly import Home, open_home
from sayso.core.encoding import Json
from sayso.runtime.results import report_json, row_json
from sayso.surfaces.cli.commands.model_view import document
from sayso.surfaces.cli.commands.parse import reading_json
from sayso.testing.fakes import FakeClock, NumberedIds
from tools.pages.markdown import code, page, shown, table

REPLY = 'WRITE_FILE "~/Documents/a.txt" "one"\n'
SETTINGS = """
[policy]
roots = ["~/Documents"]
allowed_operations = ["file.*", "app.list", "app.place", "tab.list"]
[files]
kind = "memory"
[apps]
kind = "memory"
[browser]
kind = "memory"
[browser.world]
sites = []
windows = [{tabs = [{url = "https://www.reddit.com/r/x", title = "x", summary = "How it begins"}]}]
"""

Made = tuple[dict[str, Json], dict[str, Json], dict[str, Json], dict[str, Json]]
READING = {
    "dialect": "which dialect the text was read in",
    "text": "what a person would be shown of the text",
    "needs_clarification": "the model asks back instead of proposing",
    "clarification_reason": "what it asks",
    "proposals": "one for each proposal, in order",
    "warnings": "what was odd in the text and concerns no proposal",
}
PROPOSAL = {
    "index": "its place, from 0",
    "line": "the line on which it begins, from 1",
    "said": "the text as it came",
    "operation": "canonical id; null when it could not be understood",
    "arguments": "in canonical names",
    "label": "the model's own words, or sayso's where a block has none; it decides nothing",
    "style": "the look that the model asked for; the command line has only one",
    "template_id": "which of the person's own actions is meant",
    "problem": "why it cannot be understood or is not valid",
    "code": "a stable word for the problem, of [Error codes](errors.md)",
}
RUN = {
    "run": "id for `sayso undo`, `approve`, `decline` and `show`",
    "dialect": "how the text was written",
    "dry_run": "nothing was done",
    "needs_clarification": "the model asked back",
    "clarification_reason": "what it asked",
    "results": "one for each proposal, in order",
    "warnings": "what was odd in the text",
    "edits": "the runs that came of what you edited in a preview, each a document like this one",
}
RESULT = {
    "id": "id of the action",
    "index": "its place in the run, from 0",
    "operation": "canonical id",
    "arguments": "as they passed the door",
    "label": "the model's own words, or sayso's where a block has none; it decides nothing",
    "state": "one of the states of [Commands](commands.md)",
    "success": "true for done, unchanged, planned and undone",
    "message": "what was done; null without success",
    "error": "why not; null with success",
    "code": "a stable word beside the error",
    "data": "what an operation found or made; `candidates` where a name fits nothing, or several things: the `name` of "
    "each that may have been meant, its `id` where one is taken, and `where` it stands",
    "text": "what a read found, as text",
    "plan": "what would be or was done: each change with its step, its way back, what it expects, what it left, "
    "and its outcome (`done`, `not_done`, `undone`, `unknown`)",
    "verdict": "`allow`, `ask` or `deny`, with the reason and the rule's name",
    "digest": "what an approval is bound to",
    "approved_by": "null, `rule`, `grant:ID`, `flag`, `terminal`, `command`, `click`, `notification` or `client`",
    "undo": "id for `sayso undo`; null where there is no way back",
    "undo_of": "of an undo: what it takes back",
    "edit_of": "of what you edited in a preview: the action it was, or the run where you added it",
    "duration_ms": "how long it took to do",
}
ROW = {
    "time": "when it was proposed, UTC",
    "run": "which run it belongs to",
    "dialect": "how it was written",
    "entry": "where it came from",
    "session": "which conversation it belongs to",
    "dry_run": "nothing was done",
    "expires": "until when it waits",
    "decided_at": "when a person decided",
    "ended_at": "when it ended",
    "policy": "hash of the settings it was judged by",
    "backends": "which backend served each store",
    "said": "the text, where it could not be read as a proposal",
    "exposed": "where the model had read text by others: parts of its context, operations that read some",
}
CONTEXT = {
    "context": "the data of each piece, by its name",
    "for_queries": "which pieces are for answering a question alone",
    "left_out": "what could not be looked at: `store`, `operation`, and `why`",
    "text": "the part of a prompt that all of it makes",
}


def written() -> str:
    """Return the page."""
    reading, report, row, context = made()
    rest = {name: value for name, value in row.items() if name not in RESULT}
    return page(
        "JSON documents",
        "What `--json` prints. Ids, digests, inodes and times differ on your machine.",
        "## sayso parse", _told(reading, READING), "Each proposal:", _told(_first(reading, "proposals"), PROPOSAL),
        shown(reading),
        "## sayso run, approve, undo", _told(report, RUN), "Each result:", _told(_first(report, "results"), RESULT),
        shown(report),
        "## sayso log, pending", 'They print `{"rows": [...]}`, newest first. A row is a result and also has:',
        _told(rest, ROW), shown(rest),
        "## sayso context", _told(context, CONTEXT), shown(context),
        "## When a command cannot be carried out at all",
        'With `--json` it prints `{"error": "a sentence", "code": "a.word"}` and ends with 1, 2 or 3.',
    )  # fmt: skip


def made() -> Made:
    """Return what the program prints for one small reply: parse, run, and a row of the log; and the context."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        (root / "home" / "Documents").mkdir(parents=True)
        (root / "sayso").mkdir()
        (root / "sayso" / "config.toml").write_text(SETTINGS, "utf-8")
        found = anyio.run(_made, root)
        return cast("Made", _settled(found, root))


async def _made(root: Path) -> tuple[Json, ...]:
    environ = {"HOME": str(root / "home"), "SAYSO_HOME": str(root / "sayso")}
    async with open_home(environ=environ, clock=FakeClock(), ids=NumberedIds(10**15)) as home:
        return await _documents(home)


async def _documents(home: Home) -> tuple[Json, ...]:
    report = await home.run(REPLY, entry="cli")
    row = (await home.log())[0]
    context = document(await home.context(query=True)) | {"text": "CONTEXT\n…"}
    return reading_json(home.read(REPLY)), report_json(report), row_json(row), context


def _settled(found: Json, root: Path) -> Json:
    """Put what differs from machine to machine in the same words everywhere."""
    text = json.dumps(found, ensure_ascii=False).replace(str(root / "home"), "/home/ana")
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:…", text)
    text = re.sub(r'"(inode|mtime_ns|duration_ms)": \d+', r'"\1": 7', text)
    # The store in memory counts the folders that it makes, and so those above the home too.
    return json.loads(re.sub(r'"changed": "[^"]*"', '"changed": "1970-01-01T00:00:06Z"', text))


def _first(document: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    return cast("list[Mapping[str, Json]]", document[name])[0]


def _told(document: Mapping[str, Json], says: Mapping[str, str]) -> str:
    """Explain each member. Raises `ValueError` when the program prints others than are explained here."""
    if set(document) != set(says):
        raise ValueError(f"explain in {__file__}: {sorted(set(document) ^ set(says))}")
    return table(("member", "is"), [(code(name), says[name]) for name in document])
