"""The query language for mail, with Gmail's operators; a query is sent to a server or decided by sayso."""
