"""Events and to-dos as iCalendar text (RFC 5545), used for the folder of .ics files and for the CalDAV server."""
