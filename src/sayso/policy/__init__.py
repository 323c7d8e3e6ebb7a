"""Judgement: plain functions over settings and a plan; no clock, disk, network or randomness."""
