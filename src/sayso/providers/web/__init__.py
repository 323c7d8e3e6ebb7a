"""Requests to the web: operations, store, steps, facts and backends."""
