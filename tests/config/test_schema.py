"""Every setting, with its default."""

import pytest

from sayso.config.schema import BY_NAME, KEYS, SECTIONS, keys_of

FIXED = """
policy.mode policy.roots policy.allowed_apps policy.allowed_operations policy.waive_floor policy.strict_apps
policy.stop_on_error policy.paused policy.waiting_expires policy.grant_expires policy.undo_keep policy.undo_bytes
limits.actions_per_run limits.reply_bytes limits.argument_bytes limits.waiting automation.enabled model.name journal.url
mail.kind mail.path mail.address mail.name mail.hold_seconds mail.host mail.port mail.user mail.auth mail.smtp_host
mail.smtp_port mail.tls calendar.kind calendar.path calendar.url calendar.user calendar.timezone notes.kind notes.path
browser.kind browser.cdp_url apps.kind
""".split()  # noqa: SIM905 - a list of words reads best as words
DEFAULTS = {
    "policy.mode": "destructive",
    "policy.allowed_operations": ["*"],
    "policy.waive_floor": [],
    "policy.strict_apps": False,
    "policy.stop_on_error": False,
    "policy.paused": False,
    "policy.waiting_expires": "24h",
    "policy.grant_expires": "30d",
    "policy.undo_keep": "90d",
    "policy.undo_bytes": "2 GiB",
    "limits.actions_per_run": 5000,
    "limits.reply_bytes": "16 MiB",
    "limits.argument_bytes": "8 MiB",
    "limits.waiting": 200,
    "automation.enabled": True,
    "model.name": "embedded",
    "journal.url": "",
}


@pytest.mark.parametrize("name", FIXED)
def test_every_fixed_key_is_there(name: str):
    assert name in BY_NAME


@pytest.mark.parametrize("name", DEFAULTS)
@pytest.mark.req("X-16")
def test_the_fixed_defaults_hold(name: str):
    assert BY_NAME[name].written_default == DEFAULTS[name]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.full)
def test_each_key_says_what_it_is_for_and_takes_its_own_default(key: object):
    from_list = BY_NAME[getattr(key, "full", "")]

    assert from_list.says.endswith(".")
    assert from_list.default is None or from_list.kind.read(from_list.written_default) == from_list.default


def test_no_key_stands_twice():
    assert len(BY_NAME) == len(KEYS)
    assert sum(len(keys_of(section)) for section in SECTIONS) == len(KEYS)
