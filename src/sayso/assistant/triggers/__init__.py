"""Triggers that start automations: schedules, events, and generators."""
