"""Remind ACME Corp of an invoice that is past due."""

from typing import Any

TO = "accounts.payable@acmecorp.com"

config = {
    "id": "send_payment_reminder_acme",
    "name": "Send a payment reminder to ACME Corp",
    "description": "Writes to the accounts department of ACME Corp about one invoice that is past due.",
    "icon": "💸",
    "parameterSchema": {
        "type": "object",
        "properties": {
            "invoiceNumber": {"type": "string", "description": "The number of the invoice, such as “INV-2024-001”."},
            "amount": {"type": "string", "description": "What is owed, with its currency, such as “$5,000.00”."},
            "dueDate": {"type": "string", "description": "The day on which it was due, such as “2024-01-15”."},
            "daysPastDue": {"type": "number", "description": "For how many days it has been due, such as 15."},
        },
        "required": ["invoiceNumber", "amount", "dueDate", "daysPastDue"],
    },
}


async def handler(params: Any, context: Any) -> dict[str, Any]:
    """Send the reminder, and tell the person."""
    invoice, days = params["invoiceNumber"], params["daysPastDue"]
    try:
        sent = await context.send_email(
            to=TO,
            subject=f"Payment Reminder: Invoice {invoice} - {days} Days Past Due",
            body=body(params),
        )
    except RuntimeError as wrong:
        await context.log(f"the reminder was not sent: {wrong}", "error")
        return {"success": False, "message": f"Failed to send payment reminder: {wrong}"}
    await context.notify(f"Payment reminder sent for {invoice}", type="success", priority="normal")
    return {
        "success": True,
        "message": f"Payment reminder sent to ACME Corp for {invoice}",
        "data": {"messageId": sent.message_id, "invoiceNumber": invoice},
    }


def body(params: Any) -> str:
    """Return the words of the mail."""
    return f"""Dear Accounts Payable Team,

this is a friendly reminder that invoice {params["invoiceNumber"]} over {params["amount"]} was due on \
{params["dueDate"]} and is now {params["daysPastDue"]} days past due.

- Invoice number: {params["invoiceNumber"]}
- Amount: {params["amount"]}
- Due date: {params["dueDate"]}
- Days past due: {params["daysPastDue"]}

Could you let us know when we may expect the payment? If it is on its way already, please disregard this mail.

Thank you, and kind regards
"""
