"""The one runner of all external programs; no other code starts a program (`tests/test_one_runner.py`)."""
