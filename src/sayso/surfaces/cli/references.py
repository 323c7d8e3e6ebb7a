"""Read the id of an action or a run as a person types it."""

from sayso.core.ids import action_id, action_key, run_id, run_key


def action_ref(text: str) -> str:
    """Return an action's id as it is written. Raises `ProposalError` for what is none."""
    return action_id(action_key(text.strip()))


def reference(text: str) -> str:
    """Return an action's or run's id as it is written. Raises `ProposalError` for what is neither."""
    text = text.strip()
    return run_id(run_key(text)) if text[:4].lower() == "run_" else action_ref(text)
