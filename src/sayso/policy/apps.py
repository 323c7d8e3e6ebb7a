"""The rules about applications: which may be opened or quit without a question, and what is no name of one."""

from collections.abc import Iterator

from sayso.core.arguments import text_problem
from sayso.policy.opinions import Case, Opinion, Rules, ask, deny
from sayso.policy.settings import Policy

# Which argument names an application, and whether that application would be opened or quit in any case.
_NAMED = {
    "app.open": ("name", True),
    "app.quit": ("name", True),
    "app.activate": ("name", False),
    "app.place": ("name", False),
    "file.open": ("app", True),
}


def odd_name(case: Case) -> Opinion | None:
    """Refuse what is no name but a path, an option or an address (AP-01)."""
    for name in (*_said(case, always=False), *_opened(case)):
        if _is_odd(name):
            because = f"“{name}” is no application's name; write the name alone, such as TextEdit"
            return deny(because, "app.name")
    return None


def _is_odd(name: str) -> bool:
    return (
        not name.strip()
        or name.startswith(("-", "."))
        or any(mark in name for mark in ("/", "\\", "..", ":"))
        or text_problem(name, "line") is not None
    )


def not_listed(case: Case) -> Opinion | None:
    """Ask about an application that is not listed, or refuse it where the settings say so (T-31, S0-78)."""
    for name in unlisted(case):
        if case.policy.strict_apps:
            because = (
                f"“{name}” is not among the allowed applications (allowed_apps), and strict_apps refuses all others"
            )
            return deny(because, "app.not_allowed")
        if not case.does_nothing:
            return ask(f"“{name}” is not among the allowed applications (allowed_apps)", "floor")
    return None


def unlisted(case: Case) -> tuple[str, ...]:
    """Return the applications that would be opened or quit and are not listed, each once."""
    names = dict.fromkeys((*_said(case, always=True), *_opened(case)))
    return tuple(name for name in names if not is_listed(name, case.policy))


def is_listed(name: str, policy: Policy) -> bool:
    """Say whether an application of exactly this name, in whatever case, is allowed."""
    return name.casefold() in {listed.casefold() for listed in policy.allowed_apps}


def _said(case: Case, *, always: bool) -> Iterator[str]:
    if case.operation.id not in _NAMED:
        return
    argument, in_any_case = _NAMED[case.operation.id]
    value = case.arguments.get(argument)
    if isinstance(value, str) and (in_any_case or not always):
        yield value


def _opened(case: Case) -> Iterator[str]:
    for step in case.steps:
        for field in step.apps:
            value = getattr(step, field)
            # An empty name is no application: what opens a file is then the desktop's own choice.
            names = [value] if isinstance(value, str) else value or ()
            yield from (name for name in names if name)


APPS: Rules = {"app_name": odd_name, "allowed_apps": not_listed}
