"""What waits, or was done, as a card of the page: in sayso's words, made from the plan and from nothing else."""

from collections.abc import Mapping, Sequence

from msgspec.structs import asdict

from sayso.assembly import Home
from sayso.core.card_contents import (
    because,
    card_rows,
    exactly,
    has_no_way_back,
    notes,
    request_sentence,
    shown_preview,
    way_back,
)
from sayso.core.card_groups import entries, says_below, stands_alone
from sayso.core.decision import Card, Question, Verdict, run_digest
from sayso.core.errors import SaysoError
from sayso.core.plan import Plan
from sayso.core.record import Record
from sayso.runtime.questions import card as card_from
from sayso.runtime.results import has_way_back, row_document
from sayso.surfaces.web import card_answers as answers
from sayso.surfaces.web.answers import PageRow
from sayso.surfaces.web.previews import previews, texts_drawn

_UNDO = "it can be taken back afterwards"
_STYLES: Mapping[str, str] = {"destructive": "danger", "write": "primary", "external": "primary"}


async def card(home: Home, records: Sequence[Record], nonce: str) -> answers.Card:
    """Return the card about what waits in one run, whose actions are given in order."""
    first = records[0]
    question = await _question(home, records)
    cards = question.cards
    failing = "the rest is skipped" if question.stops else "the others still run; what needs it is skipped"
    return answers.Card(
        run=first.run,
        ids=[record.id for record in records],
        digest=question.digest,
        nonce=nonce,
        session=first.session,
        entry=first.entry,
        dialect=first.dialect,
        asked_at=first.time,
        expires_at=min((record.expires for record in records if record.expires), default=None),
        title=_title(cards),
        level=question.level,
        edited=question.edited,
        fails=f"if one of them fails, {failing}" if len(cards) > 1 else None,
        always=may_always(question),
        groups=groups(cards),
        steps=[await step(home, shown, record) for shown, record in zip(cards, records, strict=True)],
    )


async def step(home: Home, shown: Card, record: Record) -> answers.Step:
    """Return one action as a card shows it; only `label` was written by a model as it is."""
    plan = shown.plan
    drawn = await previews(home, plan, shown_preview(shown))
    noted = [*notes(shown)]
    return answers.Step(
        index=shown.index,
        id=shown.id,
        operation=shown.operation,
        text=plan.summary,
        why=because(shown),
        asks=shown.verdict.ruling == "ask",
        arguments=dict(shown.arguments),
        rows=[
            answers.Argument(row.name, row.value, row.text, row.shown, row.repeats)
            for row in card_rows(shown, texts_drawn(drawn))
        ],
        label=shown.label,
        style=_style(home, shown),
        loses=[said for said, kind in noted if kind == "loses"],
        sends=[said for said, kind in noted if kind == "sends"],
        reaches=[] if plan.sends else list(plan.leaving),
        warns=[said for said, kind in noted if kind == "note"],
        looks=[said for said, kind in noted if kind == "look"],
        undo=way_back(plan, _UNDO),
        lost=has_no_way_back(plan),
        can_undo_now=has_way_back(record),
        preview=plan.preview,
        shows=drawn,
        needs=list(shown.needs),
        exactly=exactly(shown),
        digest=shown.digest,
    )


def _style(home: Home, shown: Card) -> str:
    """Return the colour of a yes to an action: `danger` if it loses or sends something or has no way back."""
    operation, plan = home.operations.get(shown.operation), shown.plan
    dangerous = plan.loses or plan.sends or has_no_way_back(plan)
    return "danger" if dangerous else _STYLES.get(operation.kind if operation else "", "secondary")


def page_row(home: Home, record: Record) -> PageRow:
    """Return a row of the history as the page is sent it."""
    return PageRow(**asdict(row_document(record)), title=title(home, record))


def title(home: Home, record: Record) -> str:
    """Return in one sentence what an action does or was to do, also if no plan for it could be made."""
    operation = home.operations.get(record.operation or "")
    if record.plan is None and operation is not None:
        return request_sentence(operation.summary, record.arguments)
    return record.summary if record.plan else record.said or record.label or record.operation or record.id


def shown_card(home: Home, record: Record) -> Card:
    """Return what can be shown of one action; of a plan that cannot be read any more, its summary and why."""
    try:
        return card_from(record, home.tools)
    except SaysoError as damaged:
        summary = title(home, record)
        verdict = record.verdict or Verdict("ask", "", "unknown", "floor")
        plan = Plan(summary, warns=(str(damaged),))
        return Card(
            record.id, record.index, record.operation or "", record.arguments, plan, verdict, record.digest or ""
        )


def digest_of(records: Sequence[Record]) -> str:
    """Return the digest of all that waits in a run, as the question about it has it."""
    return run_digest(record.digest or "" for record in records)


def may_always(question: Question) -> bool:
    """Return whether a yes may come with a standing permission: only where all that asks could ever be permitted."""
    return bool(question.asking) and all(
        card.verdict.level == "mode" and card.verdict.rule != "allowed_apps" for card in question.asking
    )


def groups(cards: Sequence[Card]) -> list[answers.Group]:
    """Return the actions that are alike and are shown as one step: by their indices, with what differs in each."""
    found = entries(cards, stands_alone, says_below)
    return [
        answers.Group([card.index for card in one.cards], one.summary, list(one.members))
        for one in found
        if len(one.cards) > 1
    ]


async def _question(home: Home, records: Sequence[Record]) -> Question:
    try:
        question = await home.question(records[0].run)
    except SaysoError:
        cards = tuple(shown_card(home, record) for record in records)
        return Question(records[0].run, cards, digest_of(records), records[0].dialect)
    return question.only({record.id for record in records})


def _title(cards: Sequence[Card]) -> str:
    return cards[0].plan.summary if len(cards) == 1 else f"{cards[0].plan.summary}, and {len(cards) - 1:,} more"
