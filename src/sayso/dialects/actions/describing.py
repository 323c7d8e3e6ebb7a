"""Write the part of the prompt that teaches a model to offer the person's own actions."""

from collections.abc import Sequence

from sayso.core.operation import Operation
from sayso.dialects import strangers
from sayso.dialects.actions.envelope import OPERATION

SAMPLE = """\
{"actions": [{"templateId": "send_payment_reminder_acme", "label": "Remind ACME of invoice 2024-001 (15 days late)", \
"description": "Writes to accounts payable about invoice 2024-001 over 1,200 €", \
"params": {"invoiceNumber": "2024-001", "daysPastDue": 15}, "style": "primary"}]}"""

_TEXT = """\
You can offer actions that the person has set up; each becomes a button below your reply, and runs when the person \
presses it. Offer them where they fit what you talk about, at the end of your reply, in one fenced block tagged json:

{sample}

The person does not see the JSON. Ids and times are filled in by the system.

GUIDELINES:
1. Be highly specific to the person's own work: “Send payment reminder to ACME Corp for invoice 2024-001 (15 days \
overdue)”, not “Send email”.
2. Give rich context: “description” says in full what will happen, to whom, and with which values.
3. Choose “style”: primary for the main recommendation, secondary for what is optional or an alternative, danger for \
what deletes or is risky, such as archiving many messages.
4. Match the template to the operation: take the one that does what is needed, and no other.
5. Give all required parameters in “params”, with the types the template asks for. Do not invent values.
6. Prefer templates made for this person, their customers and their teams over general ones."""


def describe(operations: Sequence[Operation]) -> str:
    """Return form and guidelines (S3-84, S3-86 to S3-91); the list of templates is added where they are known."""
    if not any(operation.id == OPERATION for operation in operations):
        return ""
    return "\n\n".join([_TEXT.format(sample=fenced(SAMPLE)), *strangers.rules(operations)]) + "\n"


def fenced(text: str) -> str:
    """Return a block that holds this JSON."""
    return f"```json\n{text}\n```"
