"""Put newsletters away that nobody will read any more."""

from datetime import date, timedelta
from typing import Any

SOURCES = {
    "TechCrunch": "newsletter@techcrunch.com",
    "Morning Brew": "crew@morningbrew.com",
    "Hacker News": "noreply@hackernewsletter.com",
}

config = {
    "id": "archive_old_newsletters",
    "name": "Archive old newsletters",
    "description": "Takes newsletters of TechCrunch, Morning Brew and Hacker News out of the inbox once they are old.",
    "icon": "🗞️",
    "parameterSchema": {
        "type": "object",
        "properties": {
            "daysOld": {
                "type": "number",
                "description": "How many days old they must be at least, such as 30.",
                "default": 30,
            },
        },
    },
}


async def handler(params: Any, context: Any) -> dict[str, Any]:
    """Archive what the search finds: one step, however many there are."""
    days = params["daysOld"]
    before = date.today() - timedelta(days=days)
    senders = " OR ".join(f"from:{sender}" for sender in SOURCES.values())
    try:
        found = await context.email_api.search_with_gmail_query(f"({senders}) before:{before:%Y/%m/%d}")
        for message in found:
            await context.archive_email(message.message_id)
    except RuntimeError as wrong:
        return {"success": False, "message": f"Failed to archive newsletters: {wrong}"}
    await context.notify(f"Archived {len(found)} old newsletters")
    return {
        "success": True,
        "message": f"Archived {len(found)} newsletters older than {days} days",
        "data": {"archivedCount": len(found), "daysOld": days, "sources": list(SOURCES)},
        "refreshInbox": True,
    }
