"""The person's lists as texts that other programs read: Markdown checklists and iCalendar."""
