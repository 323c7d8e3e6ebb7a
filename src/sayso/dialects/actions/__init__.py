"""Envelopes of actions in a chat reply (S3): buttons that run the person's own templates."""

from sayso.dialects.actions.dialect import ACTIONS

__all__ = ["ACTIONS"]
