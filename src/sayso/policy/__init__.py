"""Judging actions: pure functions of settings and plans, without clock, disk, network or randomness."""
