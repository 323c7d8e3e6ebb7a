"""The providers, one folder for each domain: its operations, store, steps, facts and backends."""
