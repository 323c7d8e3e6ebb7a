"""One folder per domain: operations, store, steps, facts, and the backends that serve it."""
