"""The mailbox of sent messages on a server."""

from sayso.core.ports import Ground
from sayso.core.values import dataclass
from sayso.providers.mail.imap.boxes import Boxes
from sayso.providers.mail.imap.fetching import fetched, message_id_of, place_at, selected
from sayso.providers.mail.imap.line import Line
from sayso.providers.mail.imap.wire import Text, Wire


@dataclass(frozen=True)
class SentBox:
    """Where copies of what was sent are kept."""

    line: Line
    ground: Ground

    async def holds(self, message_id: str) -> bool:
        """Say whether a message of this Message-ID is there."""
        return await self.line.asks(lambda wire, boxes: _held(wire, boxes, message_id))

    async def keep(self, message: bytes) -> None:
        """Put a message there, as read; the mailbox is made where there is none."""

        def deed(wire: Wire, boxes: Boxes) -> None:
            wire.append(boxes.made(wire, "sent"), message, (rb"\Seen",), self.ground.clock.now())

        await self.line.does(lambda wire, boxes: boxes, deed)


def _held(wire: Wire, boxes: Boxes, message_id: str) -> bool:
    if "sent" not in boxes.names:
        return False
    box = selected(wire, "sent", boxes.name("sent"))
    key = [b"HEADER", b"MESSAGE-ID", Text(message_id.encode())]
    told = fetched(wire, wire.found(key), ("BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]",))
    return any(message_id_of(one, place_at(box, uid)) == message_id for uid, one in told)
