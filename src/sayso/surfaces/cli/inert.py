"""Text for an editor, changed so that no editor takes it for orders to itself, and changed back afterwards."""

import re

from msgspec import Struct

MARK = "‸"
"""Put into words that editors look for; repeated if the text has it already."""

_ORDERS = re.compile(
    r"""
    (?<=[-*])(?=\*-|-\*)                              # Emacs: -*- mode: … -*-
  | (?<=local)(?=[ \t]+variables:)                    # Emacs: Local Variables: … End:
  | (?<=vi|ex)(?=:) | (?<=vim)(?=[<=>]?[0-9]{0,9}:)   # Vim: vim: set …, vim>700:, vi:, ex:
  | (?<=kate)(?=[-:(])                                # Kate: kate: …, kate-mimetype(…)
  | (?<=sublime)(?=:)
  | (?<=:)(?=[a-z.]{1,40}=[^:\n]{0,200}:)             # jEdit: :mode=…:
    """,
    re.VERBOSE | re.IGNORECASE,
)


class InertText(Struct, frozen=True):
    """A text without orders to an editor, and the mark in it; the mark is empty if the text had none."""

    text: str
    mark: str

    def restored(self, saved: str) -> str:
        """Return what was saved without the marks."""
        return saved.replace(self.mark, "") if self.mark else saved


def make_inert(text: str) -> InertText:
    """Return the text with a mark in every modeline and every list of local variables that an editor might obey."""
    longest = max(map(len, re.findall(f"{MARK}+", text)), default=0)
    mark = MARK * (longest + 1)
    inert, count = _ORDERS.subn(mark, text)
    return InertText(inert, mark if count else "")
