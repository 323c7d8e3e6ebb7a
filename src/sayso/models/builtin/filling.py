"""Fill the arguments of an operation from the words of a wish and what they mention."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from urllib.parse import quote_plus

from sayso.core.encoding import Json
from sayso.models.builtin.clause import Answer, Arguments, Clause, Picked, count_of
from sayso.models.builtin.filling_files import FILES
from sayso.models.builtin.filling_screen import SCREEN
from sayso.models.builtin.filling_times import TIMES
from sayso.models.builtin.mentions import Mention
from sayso.models.builtin.outcomes import Ambiguous, Filled, Unresolved
from sayso.models.builtin.spans import find_spans
from sayso.models.builtin.times import day_at, interval_hours, number
from sayso.models.builtin.tokens import Token, source_text, word_list
from sayso.models.builtin.world import Utterance


def fill(
    operation: str, words: Sequence[Token], mentions: Sequence[Mention], utterance: Utterance, chosen: Json = None
) -> Filled | Ambiguous | Unresolved:
    """Return the arguments of this operation, or what must be asked: which one is meant, or what is missing.

    `chosen` is the thing that the person named when they were asked.
    """
    clause = Clause(operation, words, mentions, find_spans(operation, words, mentions), utterance)
    clause.chosen = chosen
    reader = READERS.get(operation)
    found: Answer = Unresolved(f"The built-in rules cannot do “{operation}”.") if reader is None else reader(clause)
    if isinstance(found, Ambiguous | Unresolved):
        return found
    return Filled(tuple(found) if isinstance(found, list) else (found,), clause.strength, clause.free_words)


def _nothing(clause: Clause) -> Answer:
    return {}


def _target(kind: str, name: str = "target") -> Callable[[Clause], Answer]:
    """Return a reader of an operation whose one argument is a thing of a kind."""

    def reader(clause: Clause) -> Answer:
        many = clause.several(kind)
        if many is not None:
            return [{name: one.value} for one in many]
        found = clause.one(kind)
        return {name: found.value} if isinstance(found, Picked) else found

    return reader


def _tasks_named(clause: Clause) -> Answer:
    many = clause.several("task")
    return _task(clause) if many is None else [{"target": one.value} for one in many]


def _task(clause: Clause) -> Answer:
    found = clause.one("task")
    if not isinstance(found, Picked) or found.strength < 1:
        done = Clause(clause.operation, clause.words, clause.mentions, (), clause.utterance).one("done")
        named = found if isinstance(found, Picked) else None
        better = (
            isinstance(done, Picked)
            and done.strength >= _NAMED
            and (named is None or (len(done.at), done.strength) > (len(named.at), 1.0))
        )
        if isinstance(done, Picked) and better and not isinstance(found, Ambiguous):
            return Unresolved(f"The task “{done.value}” is completed: it changes only after it was reopened.")
    return {"target": found.value} if isinstance(found, Picked) else found


_NAMED = 0.45
_NOTHING_SAID = frozenset(
    word_list("it this that these those them something anything stuff things thing a an the task todo item do")
)


def _text(label: str, name: str, question: str) -> Callable[[Clause], Answer]:
    """Return a reader of an operation whose one argument is a free text."""

    def reader(clause: Clause) -> Answer:
        quotes = [source_text(clause.utterance.text, [word]) for word in clause.words if word.quoted]
        if len(quotes) > 1 and clause.operation == "task.add":
            return [{name: one} for one in quotes]
        text = clause.text(label)
        many = _listed(clause, label) if clause.operation == "task.add" else []
        if isinstance(many, Unresolved):
            return many
        if many:
            return [{name: one} for one in many]
        return Unresolved(question) if is_empty(text) else {name: text}

    return reader


THINGS_TO_DO = frozenset({"things", "tasks", "todos", "to-dos", "items", "todo", "to-do"})
"""Words for several tasks."""


def _listed(clause: Clause, label: str) -> list[str] | Unresolved:
    """Return the texts of several tasks, if it is said that they are several or how many; empty if it is not."""
    span = clause.spans.get(label)
    said = clause.said[: span.start] if span is not None else []
    count = count_of(said, THINGS_TO_DO)
    if span is None or not (count or clause.has({"tasks", "todos", "to-dos"})):
        return []
    colon = next((at for at in range(1, len(clause.said) - 1) if clause.said[at] == ":"), None)
    listed = clause.words[span.start : span.end] if colon is None else clause.words[colon + 1 :]
    many = several(listed, clause.utterance.text)
    if count:
        return many if len(many) == count else Unresolved("Name each of the tasks.")
    return many if len(many) > 1 and not clause.has({"list"}) and "my" not in said else []


def is_empty(text: str | None) -> bool:
    """Say whether a text is missing, or has only words such as “it”."""
    return text is None or set(text.casefold().split()) <= _NOTHING_SAID


def _tasks(clause: Clause) -> Answer:
    span = clause.spans.get("T")
    if span is None:
        return Unresolved("Which tasks?")
    clause.text("T")
    texts = several(clause.words[span.start : span.end], clause.utterance.text)
    return {"texts": [*texts], "levels": [0 for _ in texts]}


def several(words: Sequence[Token], text: str) -> list[str]:
    """Return texts that are separated by commas or “and”."""
    found: list[str] = []
    share: list[Token] = []
    for word in words:
        if word.text in {"then", "also"} and not share and not word.quoted:
            continue
        if word.text in {"and", "plus"} and not word.quoted:
            found += [source_text(text, share)] if share else []
            share = []
            continue
        share.append(word)
        if word.pause in {",", ";"}:
            found.append(source_text(text, share))
            share = []
    return [*found, source_text(text, share)] if share else found


def _subtask(clause: Clause) -> Answer:
    text = clause.text("T")
    if text is None:
        return Unresolved("What is the subtask to be called?")
    parent = clause.one("task")
    return {"parent": parent.value, "text": text} if isinstance(parent, Picked) else parent


def _edit_task(clause: Clause) -> Answer:
    text = clause.text("T")
    target = _task(clause)
    if text is None:
        return Unresolved("What is it to be called?")
    return {**target, "new_text": text} if isinstance(target, dict) else target


_WHERE = MappingProxyType(
    {
        "before": frozenset({"before", "above", "ahead", "front"}),
        "after": frozenset({"after", "behind", "following"}),
        "below": frozenset({"under", "below", "beneath", "underneath", "subtask", "inside", "sub-task", "part"}),
    }
)


_ENDS_OF_LIST = frozenset({"top", "first", "start", "beginning", "up"})


def _move_task(clause: Clause) -> Answer:
    for where, said in _WHERE.items():
        at = next((at for at, word in enumerate(clause.said) if word in said), None)
        if at is None:
            continue
        other = clause.one("task", without=range(at))
        if not isinstance(other, Picked):
            continue
        target = clause.one("task", without=range(at, len(clause.words)))
        if isinstance(target, Unresolved):
            target = clause.one("task", without=other.at)
        if not isinstance(target, Picked):
            return target
        return {"target": target.value, "where": where, "other": other.value}
    found = _task(clause)
    if clause.has(frozenset[str]().union(*_WHERE.values()) - {"front"}) and not clause.has(_ENDS_OF_LIST):
        return Unresolved("Beside which other task is it to stand? Name both.")
    return {**found, "where": "top"} if isinstance(found, dict) else found


def _often(clause: Clause) -> Json:
    """Return the hours between two times that a habit is due; None if they are not said."""
    found = clause.of("repeat")
    if len(found) > 1 and "instead" in clause.said[found[-2].end : found[-1].start]:
        found = found[:-1]  # “every day instead of every other day”
    hours = found[-1].told.get("hours") if found else None
    if found and (anew := _in_same_unit(clause, found[-1])) is not None:
        hours = anew
    if hours is None:
        lasts = [minutes for one in clause.of("time") if isinstance(minutes := one.told.get("lasts"), int)]
        hours = lasts[0] / 60 if lasts else None
    return int(hours) if isinstance(hours, float) and hours.is_integer() else hours


_INSTEAD = frozenset({"of", "not", "than"})


def _in_same_unit(clause: Clause, before: Mention) -> float | None:
    """Return the hours of what is said behind a repetition without its unit, as in “… make that every two”."""
    unit = str(before.told.get("said", "")).split()[-1:]
    said = clause.said[before.end :]
    for at in range(len(said) - 1):
        count = said[at + 1 : at + 2]
        instead = said[at] == "every" and not _INSTEAD & set(said[max(0, at - 1) : at])
        if instead and number(count[0]) is not None:
            return interval_hours(["every", *count, *unit])
    return None


def _add_habit(clause: Clause) -> Answer:
    text, hours = clause.text("T"), _often(clause)
    if text is None:
        return Unresolved("What is the habit to be called?")
    if hours is None:
        return Unresolved("How often is it to be done?")
    return {"text": text, "interval_hours": hours}


_RENAMING = frozenset(word_list("rename name call called title retitle text reword named"))


def _edit_habit(clause: Clause) -> Answer:
    hours = _often(clause)
    text = clause.text("T") if hours is None or clause.has(_RENAMING) else None
    found = clause.one("habit")
    if not isinstance(found, Picked):
        return found
    if text is None and hours is None:
        return Unresolved("What is to be changed about it?")
    more: Arguments = {"new_text": text} if text is not None else {}
    return {"target": found.value, **more, **({"interval_hours": hours} if hours is not None else {})}


_BODY = frozenset(word_list("saying says text body message words msg content reading reads containing inside"))
_SUBJECT = frozenset(word_list("about subject subj titled entitled regarding re headed"))
_TITLE = frozenset(word_list("title titled entitled headed called"))


def _note(clause: Clause) -> Answer:
    title, body = clause.text("T"), clause.text("B")
    if title is None and body is None:
        return Unresolved("What is the note to be called, and what is to be in it?")
    if title is None or body is None:
        clause.says(_TITLE if title is None and clause.has(_BODY) else _BODY if body is None else ())
    return {"title": title or body, **({"body": body} if title and body else {})}


def _append_note(clause: Clause) -> Answer:
    title, text = clause.text("T"), clause.text("B")
    if title is None:
        return Unresolved("To which note?")
    return Unresolved("What is to be added?") if text is None else {"target": title, "text": text}


_NEW_MAIL = frozenset({"unread", "new", "unopened", "unseen"})


_NOT = frozenset({"not", "haven't", "hadn't", "didn't", "never"})


def _inbox(clause: Clause) -> Answer:
    unread = clause.has(_NEW_MAIL) or (clause.has({"read"}) and clause.has(_NOT))
    most = clause.first("number") if clause.has({"last", "latest", "newest", "recent"}) else None
    limit: Arguments = {"limit": most} if isinstance(most, int) and most > 0 else {}
    return {**({"include_read": False} if unread else {}), **limit}


def _search(clause: Clause) -> Answer:
    sender, text = clause.text("P"), clause.text("T")
    criteria: Arguments = {}
    if sender is None and (address := clause.first("address")) is not None:
        sender = str(address)
    if sender is not None:
        criteria["from"] = sender
    if text is not None:
        criteria["subject" if clause.has({"subject"}) else "text"] = text
    if clause.has({"unread", "unopened", "unseen"}) or (clause.has({"read", "opened"}) and clause.has(_NOT)):
        criteria["unread"] = True
    if (since := _since(clause)) is not None:
        criteria["after"] = since
    return {"criteria": criteria} if criteria else Unresolved("Which mails are to be found?")


def _since(clause: Clause) -> str | None:
    """Return the last day that is said with a word such as “since”; None if there is none."""
    today = clause.utterance.now.date()
    for at, word in enumerate(clause.said[:-1]):
        found = day_at(clause.said, at + 1, today) if word == "since" and at not in clause.in_texts else None
        if found is not None:
            day = found[0].day
            while day > today:
                day -= timedelta(days=_WEEK)
            return f"{day}" if (found[0].day - day).days in {0, _WEEK} else None
    return None


_WEEK = 7


def _compose(clause: Clause) -> Answer:
    addresses = [str(one.value) for one in clause.of("address")]
    subject, body = clause.text("T"), clause.text("B")
    if not addresses:
        return Unresolved("To which mail address? Write it out.")
    if clause.operation == "mail.send" and (subject is None or body is None):
        return Unresolved("What is the subject to be, and what is the mail to say?")
    if body is None and clause.has(_LEADS_TO_BODY):
        return Unresolved("What is the mail to say?")
    if subject is None:
        clause.says(_SUBJECT)
    if body is None:
        clause.says(_BODY)
    return {"to": ", ".join(addresses), "subject": subject or "", "body": body or ""}


_LEADS_TO_BODY = frozenset(word_list("body text saying"))


def _notify(clause: Clause) -> Answer:
    title, message = clause.text("T"), clause.text("B")
    if title is None and message is None:
        return Unresolved("What is the notification to say?")
    if message is None and clause.has(_TITLE):
        clause.says(_BODY)
    return {"title": title or message, "message": message if title and message else ""}


def _query(clause: Clause) -> Answer:
    return {"question": source_text(clause.utterance.text, clause.words)}


_SEARCHING = frozenset(word_list("search google look find websearch search: web-search lookup googling youtube"))


def _open_url(clause: Clause) -> Answer:
    urls = [one for one in clause.mentions if one.kind == "url"]
    if urls:
        return {"url": urls[-1].value}
    term = clause.text("T") if clause.has(_SEARCHING) else None
    if term is None:
        clause.in_texts = set()
    else:
        base = "https://www.google.com/search?q="
        if clause.has({"youtube"}):
            base = "https://www.youtube.com/results?search_query="
        return {"url": base + quote_plus(term)}
    sites = clause.of("site")
    if not sites:
        return Unresolved("Which page? Write its address.")
    if len({one.value for one in sites}) > 1:
        clause.weaken(0.4)
    return {"url": sites[-1].value}


READERS: Mapping[str, Callable[[Clause], Answer]] = MappingProxyType(
    {
        **dict.fromkeys(
            ["calendar.today", "tab.list", "tab.url", "tab.title", "page.text", "page.links", "page.screenshot",
             "app.list", "clipboard.read", "template.list"],
            _nothing,
        ),
        "task.add": _text("T", "text", "What is the task to be called?"),
        "task.add_all": _tasks,
        "task.add_subtask": _subtask,
        "task.edit": _edit_task,
        "task.complete": _tasks_named,
        "task.delete": _tasks_named,
        "task.reopen": _target("done"),
        "task.move": _move_task,
        "habit.add": _add_habit,
        "habit.edit": _edit_habit,
        "habit.log": _target("habit"),
        "habit.delete": _target("habit"),
        "reminder.complete": _target("reminder", "reminder"),
        "reminder.delete": _target("reminder", "reminder"),
        "note.create": _note,
        "note.append": _append_note,
        "note.find": _text("T", "text", "What is to be found in your notes?"),
        "mail.inbox": _inbox,
        "mail.search": _search,
        "mail.compose": _compose,
        "mail.send": _compose,
        "clipboard.write": _text("B", "text", "Which text is to be copied?"),
        "speech.say": _text("B", "text", "What is to be said?"),
        "notify.show": _notify,
        "system.query": _query,
        "url.open": _open_url,
        **SCREEN,
        **FILES,
        **TIMES,
    }
)  # fmt: skip
"""How the arguments of each operation are read."""
