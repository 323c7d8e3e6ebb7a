"""What a script came to in Firefox, as text."""

from sayso.providers.browser.bidi import said
from sayso.providers.browser.bidi.values import as_text
from sayso.providers.browser.live.ports import Came


def came(ran: said.Ran) -> Came:
    """Return what a script came to."""
    if ran.exception_details is None:
        return Came(as_text(ran.result))
    thrown = ran.exception_details
    # What a script meets while it runs, it meets somewhere.
    never_ran = thrown.text.startswith("SyntaxError") and not thrown.stack_trace.call_frames
    return Came(error=thrown.text or "an error of its own", unreadable=never_ran)
