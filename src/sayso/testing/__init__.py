"""Fakes and conformance suites for whoever adds a dialect, provider or backend."""
