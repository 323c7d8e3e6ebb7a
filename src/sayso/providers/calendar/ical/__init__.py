"""Events and to-dos as iCalendar text (RFC 5545): what the folder of .ics files and the CalDAV server share."""
