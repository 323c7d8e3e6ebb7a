"""Begin a new action: a file that works as it is, and says what may be changed in it."""

import os
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

from sayso.core.errors import SetupError
from sayso.core.values import dataclass

LONGEST = 60
STARTER = '''"""Make a reminder to call somebody; write here what your own action does."""

# “config” is read without running this file, so it is written out as plain values.
config = {
    # What the action is called by: sayso template run @ID@
    "id": "@ID@",
    "name": "@NAME@",
    # What you are told of it, and a language model that may offer it to you.
    "description": "Makes a reminder to call somebody.",
    "parameterSchema": {
        "type": "object",
        # A type is string, number, integer, boolean, array or object; “enum” and “default” may stand beside it.
        "properties": {
            "whom": {"type": "string", "description": "Whom to call, such as “Ana”."},
            "day": {"type": "string", "description": "On which day, such as “2030-01-01”.", "default": "2030-01-01"},
        },
        "required": ["whom"],
    },
}


async def handler(params, context):
    """Say what is to be done; nothing is done before all of it was shown to you."""
    # What looks answers at once, in the world as it is now:
    #     found = await context.email_api.search_with_gmail_query("from:ana newer_than:7d")
    # Everything else is collected, shown to you as one plan, and done when you say so:
    #     await context.archive_email(found[0].message_id)
    #     await context.send_email(to="ana@example.org", subject="Hello", body="How are you?")
    await context.create_reminder(f"Call {params['whom']}", due=f"{params['day']} 10:00")
    return {"success": True, "message": f"You will be reminded to call {params['whom']}"}
'''


@dataclass(frozen=True)
class Begun:
    """A new action: where its file lies, and what it is called by."""

    file: Path
    id: str


def begin(folder: Path, name: str) -> Begun:
    """Write the file of a new action. Raises `SetupError` where the name is none, or a file of it is there."""
    words = _words(name)
    id_ = "_".join(words)
    file = folder / f"{'-'.join(words)}.py"
    text = STARTER.replace("@ID@", id_).replace("@NAME@", " ".join(words).capitalize())
    try:
        for place in (*reversed(folder.parents), folder):
            with suppress(FileExistsError):
                place.mkdir(0o700)
        # It is made, and never opened: what lies there already, a link as well, stays as it is.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise SetupError(f"{file} is there already; choose another name, or edit it", "template.exists") from None
    except OSError as odd:
        raise SetupError(f"{file} could not be written: {odd.strerror}", "template.unwritten") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(text)
    return Begun(file, id_)


def _words(name: str) -> list[str]:
    """Return the words of a name as they may stand in an id."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode("ascii")
    words = re.findall(r"[a-z0-9]+", plain)
    if not words or len(name) > LONGEST:
        raise SetupError(
            f"“{name[:LONGEST]}” can be no action's name: a few words of letters and digits, such as remind-to-call",
            "template.name",
        )
    return words
