"""The operation that saves a file that came with a mail."""

from typing import Annotated

from msgspec import Meta

from sayso.core.arguments import Index, Line, UserPath
from sayso.core.errors import ProposalError
from sayso.core.operation import Operation, operation
from sayso.core.plan import Change, Plan
from sayso.providers.mail.ids import checked
from sayso.providers.mail.steps import RemoveSaved, SaveAttachment
from sayso.providers.mail.store import Mail, digest_of

Number = Annotated[Index, Meta(description="Which file of the mail, counting from 1 as in its list of attachments.")]
Place = Annotated[UserPath, Meta(description="A folder, or a path that is still free; absolute or starting with ~/.")]


@operation("mail.save_attachment", kind="write", asks="click")
async def save_attachment(mail: Mail, message_id: Line, number: Number, path: Place) -> Plan:
    """Save a file that came with a mail into a folder, or as a path that is still free."""
    (wanted,) = checked([message_id])
    came = await mail.came(wanted, number)
    place = await mail.place_for(path, came.name)
    if not came.data:
        raise ProposalError(f"“{came.name}” is empty; there is nothing to save", "mail.attachment")
    step = SaveAttachment(wanted, number, place, digest_of(came.data), len(came.data), mail.new_token())
    return Plan(
        f"Save “{came.name}” ({len(came.data):,} bytes) from the mail “{came.subject or '(no subject)'}” as “{place}”",
        (Change(step, RemoveSaved(place, mail.new_token())),),
        said_when_done=f"Saved “{came.name}” as “{place}”",
        warns=(f"The file was sent by {came.sender or 'somebody'}; open it only if you trust them",),
        data={"path": place, "size": len(came.data), "sha256": step.sha256},
    )


ATTACHMENTS: tuple[Operation, ...] = (save_attachment,)
