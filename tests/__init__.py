"""The tests of sayso, in the same tree as src/sayso."""
