"""sayso: a model proposes actions, a person approves them, and nearly everything can be undone.

```python
async with sayso.open_home() as home:
    report = await home.run(reply, approver=sayso.Client(ask_my_person))
```
"""

from importlib import import_module

_WHERE = {
    "Client": "sayso.runtime.questions",
    "Decision": "sayso.core.decision",
    "Grant": "sayso.core.grant",
    "Home": "sayso.assembly",
    "Nobody": "sayso.runtime.questions",
    "Outcome": "sayso.runtime.results",
    "Policy": "sayso.policy.settings",
    "ProposalError": "sayso.core.errors",
    "ProviderError": "sayso.core.errors",
    "Question": "sayso.core.decision",
    "Report": "sayso.runtime.results",
    "SaysoError": "sayso.core.errors",
    "SetupError": "sayso.core.errors",
    "State": "sayso.core.record",
    "Toolset": "sayso.assembly.toolset",
    "Wish": "sayso.core.grant",
    "open_home": "sayso.assembly",
}
"""The module of each public name; it is imported at the first access, so that `import sayso` stays fast."""


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(_WHERE)


def __getattr__(name: str):
    """Return a public name; its module is imported now."""
    if name not in _WHERE:
        raise AttributeError(f"module 'sayso' has no attribute '{name}'")
    return getattr(import_module(_WHERE[name]), name)
