"""What a person is shown of a reply: it only grows, blank lines do not pile up, and none stand at its ends (T-68)."""

import re

_NEWLINES = re.compile(r"(\r?\n)(\r?\n)(?:\r?\n)+")
_BLANK = " \t\r\n"


class Shown:
    """Takes text piece by piece, some of it code, and says what may be shown by now."""

    def __init__(self) -> None:
        self._pending: list[tuple[str, bool]] = []
        """Blanks from the first newline after what was shown, with whether they stand in code."""
        self._started = False

    def add(self, text: str, *, code: bool = False) -> str:
        """Take more of the reply, and return what is certain to be shown of it."""
        if not self._pending and self._started and "\n" not in text and "\r" not in text:
            return text
        if not text.strip(_BLANK):
            return self._blanks(text, code=code)
        body = text.rstrip(_BLANK)
        tail = text[len(body) :]
        shown = self._with_pending(body, code=code)
        return shown + self._blanks(tail, code=code)

    def _blanks(self, text: str, *, code: bool) -> str:
        newline = 0 if self._pending or not self._started else _first_newline(text)
        if newline < len(text):
            self._pending.append((text[newline:], code))
        return text[:newline]

    def _with_pending(self, body: str, *, code: bool) -> str:
        inner = body.lstrip(_BLANK)
        self._pending.append((body[: len(body) - len(inner)], code))
        lead = "".join(_collapsed(self._pending))
        self._pending.clear()
        if not self._started:
            self._started = True
            lead = lead[lead.rfind("\n") + 1 :]
        return lead + (inner if code else _NEWLINES.sub(r"\1\2", inner))


def _first_newline(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _collapsed(pending: list[tuple[str, bool]]) -> list[str]:
    out: list[str] = []
    prose: list[str] = []
    for text, code in pending:
        if code:
            out += [_NEWLINES.sub(r"\1\2", "".join(prose)), text]
            prose.clear()
        else:
            prose.append(text)
    return [*out, _NEWLINES.sub(r"\1\2", "".join(prose))]
