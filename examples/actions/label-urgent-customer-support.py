"""Mark the mails to support that cannot wait."""

import re
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

VIPS = ("@bigclient.com", "@enterprise.com", "@fortune500.com")
WORDS = (
    "urgent", "asap", "critical", "emergency", "down", "not working", "broken", "immediately", "production issue",
    "security breach", "data loss",
)  # fmt: skip
# Whole words only: “download” is not “down”.
URGENT = re.compile(r"\b(?:" + "|".join(word.replace(" ", r"\s+") for word in WORDS) + r")\b", re.IGNORECASE)

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
        # The search counts whole days, so what is older than the hours is left out here.
        since = datetime.now(UTC) - timedelta(hours=params["hoursBack"])
        recent = [message for message in found if moment(message.received_at) >= since]
        vips = [message for message in recent if address(message).endswith(VIPS)]
        urgent = [message for message in recent if message in vips or sounds_urgent(message)]
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
        "data": {"totalChecked": len(recent), "urgentFound": len(urgent), "vipCount": len(vips)},
        "refreshInbox": True,
    }


def sounds_urgent(message: Any) -> bool:
    """Say whether subject or text has one of the words."""
    return URGENT.search(f"{message.subject}\n{message.body_text}") is not None


def moment(text: str) -> datetime:
    """Return a time with its zone; without one, it is meant in UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def address(message: Any) -> str:
    """Return the address of the sender without a name before it."""
    return message.from_address.rpartition("<")[2].rstrip("> ").lower()
