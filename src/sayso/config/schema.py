"""The schema of the settings: every key with its kind and default; providers declare theirs in their `__init__`."""

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from msgspec.structs import fields

from sayso.core.lazy import load
from sayso.core.provider import Provider
from sayso.core.settings import (
    ADDRESS,
    AMOUNT,
    FLAG,
    LENGTH,
    LINE,
    PATHS,
    PRICES,
    SIZE,
    TEXTS,
    Setting,
    ValueKind,
    length_from,
    number,
    one_of,
    password_command,
)  # fmt: skip
from sayso.policy.settings import Limits, Policy, default_allowed_apps
from sayso.providers.index import PROVIDERS

_POLICY = {field.name: field.default for field in fields(Policy)} | {"allowed_apps": default_allowed_apps(sys.platform)}
_LIMITS = {field.name: field.default for field in fields(Limits)}


def _policy(name: str, kind: ValueKind, says: str) -> Setting:
    return Setting("policy", name, kind, says, _POLICY[name])


def _limit(name: str, kind: ValueKind, says: str) -> Setting:
    return Setting("limits", name, kind, says, _LIMITS[name])


_COUNT = number(1, 1_000_000)
_COUNTED = number(1000, 1_000_000_000)
_SHOWN_FIRST = ("mail", "calendar", "notes", "browser", "apps", "desktop")
"""Sections of providers that are listed before the others, since people set them up themselves."""


def _provider_keys() -> tuple[Setting, ...]:
    """Return the keys of sayso's own providers; of each provider, only the `__init__` module is imported."""
    keys = [key for place in PROVIDERS.values() for key in cast("Provider", load(place)).keys]
    order = {section: at for at, section in enumerate(_SHOWN_FIRST)}
    return tuple(sorted(keys, key=lambda key: order.get(key.section, len(order))))


KEYS: tuple[Setting, ...] = (
    _policy(
        "mode",
        one_of("always", "destructive", "never"),
        "When to ask; some ask in every mode, such as mail.send and task.add.",
    ),
    Setting("policy", "roots", PATHS, "Folders that file actions may reach; if unset, those that the desktop names."),
    _policy(
        "allowed_apps",
        TEXTS,
        "Applications that open and quit without a question; on Linux those of its desktops too.",
    ),
    _policy("allowed_operations", TEXTS, "Operations that may run, as ids or globs; all others are refused."),
    _policy("waive_floor", TEXTS, "Floor operations that you do not want to be asked about in every mode."),
    _policy("strict_apps", FLAG, "Refuse an application that is not allowed, instead of asking."),
    _policy("stop_on_error", FLAG, "End a batch at its first failure."),
    _policy("paused", FLAG, "Stop everything."),
    _policy("waiting_expires", LENGTH, "How long an action waits for your answer."),
    _policy("grant_expires", LENGTH, "How long a standing permission holds."),
    _policy(
        "exposure_lasts",
        length_from(3600),
        "How long a program that read text by others is asked before it sends anything; at least an hour.",
    ),
    _policy("undo_keep", LENGTH, "How long what undo needs is kept."),
    _policy("undo_bytes", SIZE, "How much may be kept for undo."),
    _policy("audit_keep", LENGTH, "How long the audit trail is kept."),
    _policy("audit_redact", TEXTS, "Arguments whose values the audit trail leaves out, such as body, mail.send.body."),
    _policy("append_missing", one_of("create", "error"), "What appending to a missing file does."),
    _policy("confirm_sites", TEXTS, "Sites on which you are asked before a click or before a field is filled in."),
    _policy("confirm_destructive_clicks", FLAG, "Ask a second time after you approve something destructive."),
    _limit("actions_per_run", _COUNT, "Actions one run may have; with more, none of them runs."),
    _limit("reply_bytes", SIZE, "How long a model's reply may be."),
    _limit("argument_bytes", SIZE, "How long one argument may be."),
    _limit("waiting", _COUNT, "Actions that may wait for your answer at the same time."),
    Setting("automation", "enabled", FLAG, "Whether triggers and schedules may start runs.", default=True),
    Setting(
        "waiting",
        "announce",
        FLAG,
        "Whether a notification of your desktop tells you what waits for you when nobody could be asked.",
        default=True,
    ),
    Setting(
        "actions",
        "allow_uncontained",
        FLAG,
        "Whether handlers of your own actions run on a computer that cannot contain them.",
        default=False,
    ),
    Setting("model", "name", LINE, "Which model is asked: embedded, anthropic:…, openai:…, ollama:….", "embedded"),
    Setting(
        "model", "fallback", TEXTS, "Models to ask instead, in this order, when that one cannot begin to answer.", ()
    ),
    Setting(
        "model", "url", ADDRESS, "Address of that model's server; if unset, its vendor's, or Ollama on this computer."
    ),
    Setting("model", "timeout", LENGTH, "How long a whole reply may take.", 600),
    Setting("model", "timeout_connect", LENGTH, "How long connecting to a model's server may take.", 10),
    Setting("model", "timeout_silent", LENGTH, "How long a model may send nothing before sayso gives up on it.", 120),
    Setting(
        "model",
        "context_chars",
        number(1000, 10_000_000),
        "How many characters of this computer's context a prompt may hold; if unset, 100000, or 24000 for a model on "
        "this computer.",
    ),
    Setting("model", "budget_turns", number(1, 1000), "How many turns of the model one request may take.", 12),
    Setting(
        "model", "budget_tokens", _COUNTED, "How many tokens one request may take, read and written together.", 500_000
    ),
    Setting("model", "budget_time", LENGTH, "How long one request may wait for the model, all turns together.", 1200),
    Setting("model", "budget_money", AMOUNT, "What one request may cost, by the prices below; if unset, anything."),
    Setting("model", "prices", PRICES, "What models cost, for the budget and to be shown.", ()),
    password_command("model"),
    Setting(
        "chat", "plain", FLAG, "Whether “sayso chat” writes plain lines only, as a screen reader needs.", default=False
    ),
    Setting(
        "chat", "history", FLAG, "Whether the arrow keys in “sayso chat” bring back what you said before.", default=True
    ),
    Setting(
        "acp",
        "answers",
        FLAG,
        "Whether an editor may ask you about what can be taken back; it could answer by itself.",
        default=False,
    ),
    Setting(
        "journal", "url", ADDRESS, "Where the journal is; empty for SQLite in sayso's folder, or postgresql://….", ""
    ),
    password_command("journal"),
    *_provider_keys(),
)

BY_NAME: Mapping[str, Setting] = MappingProxyType({key.full: key for key in KEYS})
SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(key.section for key in KEYS))
"""The sections in their order, without `[[preset]]`, `[[trigger]]` and `[shortcuts.NAME]`."""


def keys_of(section: str) -> Mapping[str, Setting]:
    """Return the keys of one section by their names."""
    return {key.name: key for key in KEYS if key.section == section}
