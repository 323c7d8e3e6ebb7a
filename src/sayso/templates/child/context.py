"""The `context` of a handler: everything that it may read and request, with the names that S3 requires."""

import json
import re
from collections.abc import Generator, Mapping
from typing import Any, cast

LEVELS = ("info", "warn", "error")
_CAPITAL = re.compile("(?<=[a-z0-9])([A-Z])")


class ReplyObject(dict[str, Any]):
    """An object in a reply: `message.subject` is the same as `message["subject"]`."""

    def __getattr__(self, name: str) -> Any:
        for known in (name, snake(name)):
            if known in self:
                return self[known]
        raise AttributeError(f"there is no “{name}” here; there are: {', '.join(self)}")


class ReadyValue:
    """A value that is known already, for a handler that awaits the call."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, Any]:
        """Return the value without waiting."""
        yield from ()
        return self._value


class Requests:
    """Sends requests to sayso; every method may also be called by its camelCase name."""

    def __init__(self, pipe: Any, *, waits: bool) -> None:
        self._pipe = pipe
        self._waits = waits

    def __getattr__(self, name: str) -> Any:
        known = snake(name)
        if known == name or known.startswith("_"):
            raise AttributeError(f"the context has no “{name}”")
        return getattr(self, known)

    def _as_answer(self, value: Any) -> Any:
        return ReadyValue(value) if self._waits else value

    def _ask(self, operation: str, arguments: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in arguments.items() if value is not None}
        self._pipe.send({"type": "ask", "operation": operation, "arguments": json.loads(json.dumps(given))})
        reply = self._pipe.receive()
        if "wrong" in reply:
            raise RuntimeError(reply["wrong"])
        return entries(reply["gives"])

    def _run_operation(self, operation: str, **arguments: Any) -> Any:
        self._ask(operation, arguments)
        return self._as_answer(None)


class MailRequests(Requests):
    """`context.email_api`: requests that read and change mail."""

    def get_inbox(self, options: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Return the messages in the inbox, newest first; options: `limit`, `include_read`."""
        return self._as_answer(self._ask("mail.inbox", merge_options(options, named))["messages"])

    def search_emails(self, criteria: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Return the messages that match all criteria: from, to, subject, text, label, unread, after, before, limit."""
        return self._as_answer(self._ask("mail.search", {"criteria": merge_options(criteria, named)})["messages"])

    def search_with_gmail_query(self, query: str) -> Any:
        """Return the messages that match a query in Gmail's language."""
        return self._as_answer(self._ask("mail.query", {"query": query})["messages"])

    def get_emails_by_ids(self, ids: list[str]) -> Any:
        """Return the messages with these ids; unknown ones are left out."""
        if not ids:
            return self._as_answer([])
        return self._as_answer(self._ask("mail.get_many", {"ids": list(ids)})["messages"])

    def get_email_by_id(self, email_id: str) -> Any:
        """Return the message with this id, or None."""
        found = self._ask("mail.get", {"id": email_id})["messages"]
        return self._as_answer(found[0] if found else None)

    def archive_email(self, email_id: str) -> Any:
        """Archive a message: move it out of the inbox."""
        return self._run_operation("mail.archive", ids=[email_id])

    def archive_emails(self, ids: list[str]) -> Any:
        """Archive messages: move them out of the inbox."""
        return self._run_operation("mail.archive", ids=list(ids)) if ids else self._as_answer(None)

    def star_email(self, email_id: str) -> Any:
        """Star a message."""
        return self._run_operation("mail.star", ids=[email_id])

    def unstar_email(self, email_id: str) -> Any:
        """Remove the star from a message."""
        return self._run_operation("mail.unstar", ids=[email_id])

    def mark_as_read(self, email_id: str) -> Any:
        """Mark a message as read."""
        return self._run_operation("mail.mark_read", ids=[email_id])

    def mark_as_unread(self, email_id: str) -> Any:
        """Mark a message as unread."""
        return self._run_operation("mail.mark_unread", ids=[email_id])

    def add_label(self, email_id: str, label: str) -> Any:
        """Add a label to a message."""
        return self._run_operation("mail.add_label", ids=[email_id], label=label)

    def remove_label(self, email_id: str, label: str) -> Any:
        """Remove a label from a message."""
        return self._run_operation("mail.remove_label", ids=[email_id], label=label)

    def send_email(self, options: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Send a mail and return its `messageId`; options: to, subject, body, cc, bcc, reply_to."""
        reply = self._ask("mail.send", merge_options(options, named))
        return self._as_answer(ReplyObject(messageId=reply["id"], message_id=reply["id"]))


class Context(MailRequests):
    """Everything that a handler may read and request."""

    def __init__(self, pipe: Any, session: str, *, name: str, waits: bool) -> None:
        super().__init__(pipe, waits=waits)
        self.session_id = session
        self._name = name
        self.email_api = MailRequests(pipe, waits=waits)

    def create_reminder(self, title: str, due: str | None = None, notes: str | None = None) -> Any:
        """Create a reminder."""
        return self._run_operation("reminder.create", title=title, due=due, notes=notes)

    def call_agent(self, options: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Ask the language model and return its answer; options: prompt, system_prompt, tools, max_tokens."""
        return self._as_answer(self._ask("agent.call", merge_options(options, named))["text"])

    def add_user_message(self, content: str) -> Any:
        """Add a message of the person to the chat."""
        return self._run_operation("chat.add_message", role="user", content=content)

    def add_assistant_message(self, content: str) -> Any:
        """Add a message of the model to the chat."""
        return self._run_operation("chat.add_message", role="assistant", content=content)

    def add_system_message(self, content: str) -> Any:
        """Add a message of the program to the chat."""
        return self._run_operation("chat.add_message", role="system", content=content)

    def notify(self, message: str, options: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Notify the person, with the action's name as title; options: priority (low, normal, high) and type."""
        return self._run_operation("notify.show", title=self._name, message=message, **merge_options(options, named))

    def fetch(self, url: str, options: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Send a request to a web address and return the reply."""
        return self._as_answer(self._ask("net.fetch", {"url": url, "options": {**(options or {}), **named} or None}))

    def log(self, message: str, level: str = "info") -> Any:
        """Say a line that is printed with the outcome and kept in the log; `level` is info, warn or error."""
        if level not in LEVELS:
            raise ValueError(f"“level” must be one of {', '.join(LEVELS)}")
        self._pipe.send({"type": "says", "text": str(message), "level": level})
        return self._as_answer(None)

    def do(self, operation: str, /, **arguments: Any) -> Any:
        """Request any other operation of sayso by its id; one that only reads returns its data."""
        return self._as_answer(self._ask(operation, arguments))


def snake(name: str) -> str:
    """Return a camelCase name in snake_case."""
    return "email_api" if name == "emailAPI" else _CAPITAL.sub(r"_\1", name).lower()


def merge_options(options: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return options, given as a mapping or by keyword, with the names that sayso uses."""
    return {snake(name).rstrip("_"): value for name, value in {**(options or {}), **named}.items()}


def entries(value: Any) -> Any:
    """Return a reply whose objects give access to their members as attributes."""
    if isinstance(value, dict):
        return ReplyObject({name: entries(item) for name, item in cast("dict[str, Any]", value).items()})
    if isinstance(value, list):
        return [entries(item) for item in cast("list[Any]", value)]
    return value
