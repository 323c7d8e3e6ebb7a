"""What a person is shown of a reply: it only grows, blank lines do not pile up, and none stand at its ends (T-68)."""

import re

_GAP = re.compile(r"((?:\r?\n){2})(?:\r?\n)+")
_MOST_NEWLINES = 2
_BLANK = " \t\r\n"


class Shown:
    """Takes text piece by piece, some of it code, and says what may be shown by now."""

    def __init__(self) -> None:
        self._pending: list[tuple[str, bool]] = []
        """Blanks from the first newline after what was shown, with whether they stand in code."""
        self._started = False

    @property
    def flows(self) -> bool:
        """Whether text without line ends is shown as it stands."""
        return self._started and not self._pending

    def add(self, text: str, *, code: bool = False) -> str:
        """Take more of the reply, and return what is certain to be shown of it."""
        flows = self.flows
        if flows and "\n" not in text and "\r" not in text:
            return text
        body = text.rstrip(_BLANK)
        if not body:
            return self._blanks(text, code=code)
        shown = _of(body, code=code) if flows else self._with_pending(body, code=code)
        return shown if body == text else shown + self._blanks(text[len(body) :], code=code)

    def outdent(self) -> None:
        """Forget the blanks that a block stood behind on its line; with the block gone, the line begins anew."""
        while self._pending:
            text, code = self._pending.pop()
            bare = text.rstrip(" \t")
            if bare:
                self._pending.append((bare, code))
                return

    def _blanks(self, text: str, *, code: bool) -> str:
        newline = len(text) - len(text.lstrip(" \t")) if self.flows else 0
        if newline < len(text):
            self._pending.append((text[newline:], code))
        return text[:newline]

    def _with_pending(self, body: str, *, code: bool) -> str:
        inner = body.lstrip(_BLANK)
        self._pending.append((body[: len(body) - len(inner)], code))
        lead = _put_together(self._pending)
        self._pending.clear()
        if not self._started:
            self._started = True
            lead = lead[lead.rfind("\n") + 1 :]
        return lead + _of(inner, code=code)


def _of(text: str, *, code: bool) -> str:
    return text if code else _collapsed(text)


def _put_together(pending: list[tuple[str, bool]]) -> str:
    out: list[str] = []
    prose: list[str] = []
    for text, code in pending:
        if code:
            out += [_collapsed("".join(prose)), text]
            prose.clear()
        else:
            prose.append(text)
    return "".join([*out, _collapsed("".join(prose))])


def _collapsed(text: str) -> str:
    return (
        text if _is_short(text) else _GAP.sub(lambda gap: gap[1], text)
    )  # a template would be put together in Python for each


def _is_short(text: str) -> bool:
    """Say whether a text has too few newlines to hold a gap that is too long."""
    return text.count("\n") <= _MOST_NEWLINES
