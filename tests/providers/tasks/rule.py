"""The rule of T-58 written down once more, step by step and without anything of sayso: what matching is held to."""

import re
import unicodedata

GENERIC = ["task", "tasks", "todo", "habit", "habits", "item", "the", "a", "an", "my", "for", "to"]


def by_the_rule(query: str, items: list[str]) -> list[str]:
    """Return the items that match at the first step that yields any, in their order."""

    def plain(text: str) -> str:
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
        text = " ".join(text.split())
        pairs = ("“”", '""', "''", "``", "„“", "„”", "””", "‘’", "‚‘", "‚’", "’’", "«»", "»«")  # noqa: RUF001 - quotes of many languages
        while len(text) > 1 and text[0] + text[-1] in pairs:
            text = " ".join(text[1:-1].split())
        return text

    def letters(text: str) -> str:
        return "".join(
            "w" if char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M" else " " for char in text
        )

    def tokens(text: str) -> list[str]:
        return [text[hit.start() : hit.end()] for hit in re.finditer("w+", letters(text))]

    def as_words(whole: str, part: str) -> bool:
        shape = letters(whole)
        for hit in range(len(whole) - len(part) + 1):
            end = hit + len(part)
            inside = shape[max(hit - 1, 0) : hit + 1] == "ww" and hit > 0
            beyond = shape[end - 1 : end + 1] == "ww"
            if whole[hit:end] == part and not inside and not beyond:
                return True
        return False

    wanted = plain(query)
    real = [(item, plain(item)) for item in items if plain(item)] if wanted else []
    meant = [token for token in tokens(wanted) if token not in GENERIC]
    nothing: list[str] = []
    steps = (
        [item for item, text in real if text == wanted],
        [item for item, text in real if wanted in text],
        [item for item, text in real if as_words(wanted, text)],
        [
            item
            for item, text in real
            if meant and all(any(word.startswith(one) for word in tokens(text)) for one in meant)
        ],
    )
    return next((step for step in steps if step), nothing)
