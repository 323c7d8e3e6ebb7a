"""Chat, model, log, templates and questions: operations, store, steps, facts and backends."""
