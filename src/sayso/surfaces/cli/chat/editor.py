"""The line editor of `sayso chat`, on prompt_toolkit; only this module imports it."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.lexers import SimpleLexer
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle

from sayso.surfaces.cli.chat.completions import Completions
from sayso.surfaces.cli.chat.lines import CONTINUES, Interrupted, Left, Typed

PROMPT = "> "
_SAID = "bold ansibrightblue"
"""The style of the person's own words."""
_PASTED_CHARACTERS = 400
"""A pasted text of several lines or with more characters becomes an attachment: it is data and no wish."""


class EditedLines:
    """Reads words with line editing: history, completion, several lines, and pasted texts as attachments."""

    def __init__(self, words: Sequence[str], completions: Completions, *, colour: bool) -> None:
        self._pasted: dict[str, str] = {}
        history = InMemoryHistory()
        for one in words:
            history.append_string(one)
        self._session: PromptSession[str] = PromptSession(
            [(_SAID if colour else "", PROMPT)],
            multiline=True,
            key_bindings=self._keys(),
            history=history,
            completer=_Completer(completions),
            complete_while_typing=False,
            complete_style=CompleteStyle.READLINE_LIKE,
            reserve_space_for_menu=0,
            prompt_continuation=" " * len(PROMPT),
            color_depth=ColorDepth.DEPTH_4_BIT if colour else ColorDepth.DEPTH_1_BIT,
            lexer=SimpleLexer(_SAID if colour else ""),
            input=Vt100Input(sys.stdin),
            # Without a question to the terminal about its cursor: no answer to it can be taken for typed words.
            output=Vt100_Output(sys.stdout, _size, term="xterm", enable_cpr=False, enable_bell=False),
        )

    async def read(self) -> Typed:
        """Return the next words."""
        self._pasted = {}
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._end)
        try:
            text = await self._session.prompt_async(handle_sigint=False)
        except KeyboardInterrupt:
            raise Interrupted(empty=not self._session.default_buffer.text) from None
        except EOFError:
            raise Left from None
        finally:
            loop.remove_signal_handler(signal.SIGTERM)
        return Typed(text, {name: kept for name, kept in self._pasted.items() if name in text})

    def _end(self) -> None:
        self._session.app.exit(exception=EOFError)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.document.current_line_before_cursor.endswith(CONTINUES):
                buffer.delete_before_cursor(len(CONTINUES))
                buffer.insert_text("\n")
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add(Keys.BracketedPaste)
        def _(event: KeyPressEvent) -> None:
            self._paste(event.current_buffer, event.data.replace("\r\n", "\n").replace("\r", "\n"))

        return keys

    def _paste(self, buffer: Buffer, text: str) -> None:
        if "\n" not in text.strip("\n") and len(text) <= _PASTED_CHARACTERS:
            buffer.insert_text("".join(letter for letter in text if letter.isprintable()))
            return
        name = f"@pasted-{len(self._pasted) + 1}"
        self._pasted[name] = text
        before = buffer.document.char_before_cursor
        buffer.insert_text(f"{'' if not before or before.isspace() else ' '}{name} ")


def _size() -> Size:
    """Return the size of the terminal."""
    try:
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        columns, lines = 80, 24
    return Size(rows=lines, columns=columns)


class _Completer(Completer):
    """Offers the completions of the word before the cursor."""

    def __init__(self, completions: Completions) -> None:
        self._find: Callable[[str], Iterable[tuple[str, str]]] = completions.find

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions."""
        before = document.text_before_cursor
        word = before.rpartition("\n")[2].rpartition(" ")[2]
        for text, shown in self._find(before):
            yield Completion(text, start_position=-len(word), display=shown)
