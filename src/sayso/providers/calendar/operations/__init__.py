"""The operations on the calendar: events and reminders."""
