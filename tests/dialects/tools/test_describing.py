"""The prompt says which tools there are, which to prefer, and how to use them."""

import pytest

from sayso.dialects.tools import TOOLS
from sayso.dialects.tools.schemas import schemas
from tests.dialects.replies import OPERATIONS

ALL = list(OPERATIONS.values())


@pytest.mark.req("S1-53", "S1-54", "S1-55", "S1-56", "S1-57")
def test_the_prompt_prefers_the_two_tools_and_says_how_to_use_them():
    prompt = TOOLS.describe(ALL)

    two, own = prompt.index("- macos_auto:"), prompt.index("- file_move(")
    assert prompt.index("Prefer these") < two < prompt.index("- browser:") < own
    assert "ask the person by themselves: go ahead with the call" in prompt
    assert "- Use browser to look things up, fill in forms and take data from pages." in prompt
    assert "- Use macos_auto for reminders, calendar, mail and notes." in prompt
    assert "look at the calendar, then draft the mail, then send it" in prompt


@pytest.mark.req("S1-58", "T-106")
def test_the_prompt_says_what_to_do_about_failures_and_consequences():
    prompt = TOOLS.describe(ALL)

    assert "say so plainly, with the reason that the result gives, and suggest what else" in prompt
    assert "say what it will do" in prompt


@pytest.mark.req("T-12", "T-32")
def test_only_what_is_enabled_is_named():
    few = TOOLS.describe([OPERATIONS["app.open"]])

    assert "open_app: app_name" in few
    assert "browser" not in few
    assert "Then these" not in few
    assert "mail_send" not in few


@pytest.mark.req("S1-53")
def test_the_words_that_an_argument_may_be_are_named():
    lines = TOOLS.describe(ALL).splitlines()

    assert lines[lines.index("- focus_set_dnd(state): Turn do-not-disturb on or off.") + 1] == '  - state: "OFF" | "ON"'
    assert '  - where: "after" | "before" | "below" | "top"' in lines


@pytest.mark.req("T-12", "T-32", "S1-55", "S1-56", "S1-57")
@pytest.mark.parametrize(
    ("known", "purpose", "rules"),
    [
        (["mail.send"], "macos_auto: Use the person's applications: mail.", ["Use macos_auto for mail."]),
        (
            ["calendar.today", "note.create", "mail.compose"],
            "macos_auto: Use the person's applications: calendar, notes.",
            ["Use macos_auto for calendar and notes."],
        ),
        (["app.open"], "macos_auto: Use the person's applications: open them.", []),
        (
            ["calendar.today", "mail.send", "mail.compose"],
            "macos_auto: Use the person's applications: calendar, mail.",
            [
                "Use macos_auto for calendar and mail.",
                "Chain calls naturally: look at the calendar, then draft the mail, then send it.",
            ],
        ),
        (["page.run_js"], "browser: Use the person's web browser.", []),
        (
            ["page.text", "page.click"],
            "browser: Use the person's web browser: read pages, follow links.",
            [
                "Use browser to take data from pages.",
                "Before a click or a form that has consequences, say what it will do.",
            ],
        ),
    ],
)
def test_a_tool_is_used_for_what_is_enabled_and_nothing_else(known: list[str], purpose: str, rules: list[str]):
    said = [OPERATIONS[id_] for id_ in known]
    prompt = TOOLS.describe(said).splitlines()
    everywhere = set(TOOLS.describe([OPERATIONS["file.mkdir"]]).splitlines())

    assert f"- {purpose}" in prompt
    assert str(schemas(said)[0]["description"]).startswith(purpose.partition(": ")[2] + "\n")
    told = [line.removeprefix("- ") for line in prompt[prompt.index("Rules for actions:") :] if line not in everywhere]
    assert [line for line in told if line.startswith(("Use ", "Chain ", "Before "))] == rules
