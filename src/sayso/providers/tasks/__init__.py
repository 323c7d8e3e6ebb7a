"""The person's own tasks and habits: operations, store, steps, facts and backends."""
