"""The one path from proposal to outcome: approvals, recovery and undo."""
