"""The page of the line dialect, from its table of names and its own prompt."""

from sayso.assembly.parts import PROVIDERS
from sayso.dialects.lines import LINES
from sayso.dialects.lines.grammar import Form, all_forms
from tools.pages.markdown import code, fenced, page, prose, table


def written() -> str:
    """Return the page."""
    operations = [operation for provider in PROVIDERS for operation in provider.operations]
    forms = all_forms(operations).values()
    named = table(("written", "means", "may be a heredoc"), [_row(form) for form in forms if not form.open])
    derived = table(("written", "means", "may be a heredoc"), [_row(form) for form in forms if form.open])
    prompt = LINES.describe([operation for operation in operations if operation.id.startswith(("file.", "notify."))])
    return page(
        "The line dialect", prose("lines.md"), "## Commands with a name of their own", named,
        "## Derived names", prose("derived.md"), derived,
        "## What a model is told", "`sayso prompt --dialect lines` prints it; here for files and notifications alone.",
        fenced(prompt, "text"),
    )  # fmt: skip


def _row(form: Form) -> tuple[str, str, str]:
    body = "" if form.body is None else form.takes[form.body].name
    fixed = "".join(f", {name} = {str(value).lower()}" for name, value in form.fixed.items())
    return code(form.usage), f"{code(form.operation.id)}{fixed}", code(body)
