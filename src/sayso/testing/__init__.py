"""Fakes and conformance suites for developers who add a dialect, provider or backend."""
