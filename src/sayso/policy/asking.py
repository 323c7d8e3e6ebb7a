"""The rules that ask: by the operation's own approval rule, by mode, by what a plan loses, sends or warns of."""

from sayso.policy.opinions import Case, Opinion, Rules, ask


def floor(case: Case) -> Opinion | None:
    """Ask in every mode about a floor operation, unless the person has waived it in the settings (T-33, S0-80)."""
    if case.operation.asks != "floor" or case.does_nothing or case.operation.id in case.policy.waive_floor:
        return None
    return ask(f"{case.operation.id} asks in every mode", "floor")


def click(case: Case) -> Opinion | None:
    """Ask in every mode for the click on what a button proposes (T-35)."""
    if case.operation.asks != "click" or case.does_nothing:
        return None
    return ask(f"{case.operation.id} asks in every mode, unless it is your own command", "click")


def warning(case: Case) -> Opinion | None:
    """Ask where the operation itself found a reason to."""
    if not case.plan.asks:
        return None
    return ask("; ".join(case.plan.warns) or "there is a reason to look twice", "floor")


def sends_after_reading(case: Case) -> Opinion | None:
    """Ask about what leaves this machine once text of strangers was read in the session (X-08, T-111)."""
    if not (case.exposed and case.plan.sends):
        return None
    leaving, seen = "; ".join(case.plan.sends), ", ".join(case.exposed).replace("_", " ")
    return ask(
        f"the model had words of others before it ({seen}), and this would leave the machine: {leaving}", "floor"
    )


def mode(case: Case) -> Opinion | None:
    """Ask by mode: always about everything but reads, destructive about what takes away, never not at all (S0-81)."""
    if case.policy.mode == "never" or case.does_nothing:
        return None
    takes = case.operation.kind == "destructive" or bool(case.plan.loses)
    if takes:
        return ask(f"mode “{case.policy.mode}” asks before anything is moved, deleted or replaced", "mode")
    if case.policy.mode == "destructive" or _only_reads(case):
        return None
    return ask("mode “always” asks before everything but reads", "mode")


def _only_reads(case: Case) -> bool:
    return case.operation.kind == "read" and case.operation.asks == "none" and not case.plan.sends


ASKING: Rules = {
    "floor": floor,
    "click": click,
    "warning": warning,
    "outside_text": sends_after_reading,
    "mode": mode,
}
