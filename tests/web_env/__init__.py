"""Web servers of the tests."""
