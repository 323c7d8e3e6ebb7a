"""The one runner for every external program; nothing else in sayso starts one (`tests/test_one_runner.py`)."""
