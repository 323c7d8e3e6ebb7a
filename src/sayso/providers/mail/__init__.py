"""Mail: operations, store, steps, facts and backends."""
