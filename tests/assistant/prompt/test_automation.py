"""The prompt of an automation: commands and their rules, what started it, the moment; no other form is spoken of."""

import pytest

from sayso.assistant.prompt.automation import system, user
from sayso.core.context import RULE
from tests.assistant.prompt.given import KNOWN, OPERATIONS

SIXTEEN = (
    "MOVE_FILE", "COPY_FILE", "DELETE_FILE", "CREATE_FOLDER", "OPEN_FILE", "REVEAL_IN_FINDER", "WRITE_FILE",
    "WRITE_DOC", "SEND_EMAIL", "OPEN_URL", "COPY_TO_CLIPBOARD", "OPEN_APP", "NOTIFY", "SPEAK", "RUN_SHORTCUT",
)  # fmt: skip


@pytest.mark.req("S0-66", "S0-71", "X-20", "T-50")
def test_it_lists_every_command_and_demands_nothing_but_commands():
    prompt = system(OPERATIONS)

    assert all(f"- {name}" in prompt for name in SIXTEEN)
    assert "# No action needed" in prompt
    assert not any(word in prompt for word in ("json-action", "needs_clarification", "macos_auto"))


@pytest.mark.req("S0-66", "T-12")
def test_what_is_switched_off_is_not_named():
    assert "SPEAK" not in system(
        [one for one in OPERATIONS if one.id != "speech.say" and "speak" not in one.id.lower()]
    )


@pytest.mark.req("S0-67", "S0-68", "X-08")
def test_trigger_and_context_have_a_part_each_and_what_strangers_wrote_stays_data():
    prompt = user(KNOWN, "daily 18:00 wrap-up")

    trigger, context = prompt.split("\n\nCONTEXT:\n")
    assert trigger == "TRIGGER:\n<trigger>\ndaily 18:00 wrap-up\n</trigger>"
    assert context.startswith(RULE)
    assert "User mood: unknown" in context
    assert prompt.count("</tabs>") == 1
    assert prompt.count("CONTEXT") == 1
