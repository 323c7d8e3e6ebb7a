"""Notes in folders: operations, store, steps, facts and backends."""
