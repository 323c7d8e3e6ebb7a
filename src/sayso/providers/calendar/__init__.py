"""Calendar events and reminders: operations, store, steps, facts and backends."""
