"""Mark the mails to support that cannot wait."""

from math import ceil
from typing import Any

VIPS = ("@bigclient.com", "@enterprise.com", "@fortune500.com")
WORDS = (
    "urgent", "asap", "critical", "emergency", "down", "not working", "broken", "immediately", "production issue",
    "security breach", "data loss",
)  # fmt: skip

config = {
    "id": "label_urgent_customer_support",
    "name": "Label urgent customer support",
    "description": "Labels and stars mails to support that sound urgent or come from the biggest customers.",
    "icon": "🚨",
    "parameterSchema": {
        "type": "object",
        "properties": {
            "hoursBack": {
                "type": "number",
                "description": "How many hours to look back, such as 24.",
                "default": 24,
            },
        },
    },
}


async def handler(params: Any, context: Any) -> dict[str, Any]:
    """Label and star what is urgent; doing it again changes nothing more."""
    try:
        found = await context.email_api.search_with_gmail_query(
            f"to:support@company.com newer_than:{ceil(params['hoursBack'] / 24)}d"
        )
        vips = [message for message in found if message.from_address.lower().endswith(VIPS)]
        urgent = [message for message in found if message in vips or sounds_urgent(message)]
        for message in urgent:
            await context.add_label(message.message_id, "URGENT")
        for message in urgent:
            await context.star_email(message.message_id)
    except RuntimeError as wrong:
        return {"success": False, "message": f"Failed to label urgent emails: {wrong}"}
    said = "No urgent support emails found"
    if urgent:
        said = f"🚨 Labeled {len(urgent)} urgent support emails ({len(vips)} from VIP customers)"
    await context.notify(said, type="warning" if urgent else "info", priority="high" if urgent else "normal")
    return {
        "success": True,
        "message": said,
        "data": {"totalChecked": len(found), "urgentFound": len(urgent), "vipCount": len(vips)},
        "refreshInbox": True,
    }


def sounds_urgent(message: Any) -> bool:
    """Say whether subject or text has one of the words."""
    text = f"{message.subject}\n{message.body_text}".lower()
    return any(word in text for word in WORDS)
