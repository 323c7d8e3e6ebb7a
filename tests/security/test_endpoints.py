"""Where sayso connects to stands in the settings alone: nothing that a model writes names a server of its own."""

import pytest

from sayso.assembly.parts import providers
from sayso.config.schema import BY_NAME
from sayso.runtime.registry import catalogue

ENDPOINTS = {
    "host", "hostname", "port", "server", "endpoint", "socket", "proxy", "base_url", "api_base", "cdp_url", "bidi_url",
    "smtp_host", "smtp_port", "smtp", "imap", "caldav", "principal", "auth", "password", "token", "api_key", "tls",
    "verify", "user",
}  # fmt: skip
TAKES_ADDRESSES = {"url.open", "net.fetch"}
"""What takes a web address, shows it whole in its question, and is no connection of sayso's own."""


@pytest.mark.req("SE-03")
def test_no_argument_names_what_sayso_connects_to():
    operations = catalogue(providers())

    named = {id_: {parameter.name for parameter in one.parameters} & ENDPOINTS for id_, one in operations.items()}
    addressed = {id_ for id_, one in operations.items() if any("url" in one.name for one in one.parameters)}

    assert {id_: names for id_, names in named.items() if names} == {}
    assert addressed == TAKES_ADDRESSES, (
        "before you add an operation to TAKES_ADDRESSES, check that its question shows the whole address, and that "
        "sayso itself does not connect to it: what sayso connects to is a setting"
    )


@pytest.mark.req("SE-03")
@pytest.mark.parametrize("operation", ["mail.send", "calendar.create_event", "tab.list", "page.text", "net.fetch"])
@pytest.mark.parametrize("name", sorted(ENDPOINTS))
def test_an_endpoint_that_a_model_adds_is_refused_at_the_door(operation: str, name: str):
    known = catalogue(providers())[operation]

    _, problems = known.check({name: "http://127.0.0.1:8737/"})

    assert f"“{name}”" in problems[0].sentence
    assert problems[0].code == "arguments.unknown"


@pytest.mark.req("SE-03")
def test_every_endpoint_is_a_setting_that_only_the_person_changes():
    mail = ("mail.host", "mail.port", "mail.smtp_host", "mail.smtp_port")
    for name in (*mail, "calendar.url", "browser.cdp_url", "browser.bidi_url"):
        assert name in BY_NAME

    changing = [id_ for id_ in catalogue(providers()) if id_.startswith(("config.", "settings.", "sayso.", "policy."))]
    assert changing == []


@pytest.mark.req("SE-04")
def test_no_operation_stops_restarts_or_changes_sayso():
    words = {
        "kill", "stop", "restart", "upgrade", "install", "uninstall", "debug", "shutdown", "exec", "shell", "approve",
        "decline", "settle", "grant", "revoke", "pause", "resume", "configure", "sayso", "process", "service",
    }  # fmt: skip

    ids = catalogue(providers())

    assert [id_ for id_ in ids if set(id_.replace("_", ".").split(".")) & words] == []
