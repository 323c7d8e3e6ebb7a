"""What a model is asked carries all that one needs who reads no prompt."""

from sayso.assembly.parts import dialect
from sayso.core.model import Asked, Turn


def test_what_is_asked_has_no_tools_and_an_empty_context_unless_it_is_given_some():
    asked = Asked("Be brief.", (Turn("user", "hello"),), "hello", dialect("lines"))

    assert (asked.tools, asked.context.pieces, asked.context.left_out) == ((), (), ())
