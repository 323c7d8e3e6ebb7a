from datetime import datetime

from icalendar import Calendar, Component

class CalendarQuery:
    def between(self, start: datetime, stop: datetime) -> list[Component]: ...

def of(a_calendar: Calendar) -> CalendarQuery: ...
