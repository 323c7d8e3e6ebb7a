"""The query language for mail: Gmail's operators, read once, then asked of a server or decided here."""
