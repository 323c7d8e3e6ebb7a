"""The clipboard of an X session, as programs that are not ours fill it."""

from tests.desktop_env.session import Session, wait_for


def hold(session: Session, data: bytes, kind: str = "UTF8_STRING") -> None:
    """Put something on the clipboard.

    It is emptied first: what was there before would be taken for this, and an owner that is just being relieved may
    leave the question without an answer.
    """
    session.run("xsel", "-cb")
    session.run("sh", "-c", 'xclip -selection clipboard -t "$0" >/dev/null 2>&1', kind, data=data)
    offered = ("xclip", "-o", "-selection", "clipboard", "-t", "TARGETS")
    wait_for(lambda: kind in session.run(*offered, check=False).split(), "the clipboard")
