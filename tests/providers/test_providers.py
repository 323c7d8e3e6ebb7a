"""What assembly needs to know of each provider holds together."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from typing import get_args

import pytest
from msgspec.structs import fields

from sayso.assembly.parts import PROVIDERS
from sayso.core.plan import Codec
from sayso.core.ports import BackendContext
from sayso.core.provider import Provider
from sayso.providers.apps import APPS
from sayso.providers.browser import BROWSER
from sayso.providers.calendar import CALENDAR
from sayso.providers.desktop import DESKTOP
from sayso.providers.files import FILES
from sayso.providers.mail import MAIL
from sayso.providers.mcp import MCP
from sayso.providers.notes import NOTES
from sayso.providers.talk import TALK
from sayso.providers.tasks import TASKS
from sayso.providers.web import WEB
from sayso.testing.fakes import FakeClock, NumberedIds
from tests.house import ROOT

DEFAULTS = [
    (APPS, None),
    (BROWSER, "cdp"),
    (CALENDAR, "vdir"),
    (DESKTOP, None),
    (FILES, "local"),
    (MAIL, "maildir"),
    (MCP, "servers"),
    (NOTES, "folder"),
    (TALK, "here"),
    (TASKS, "sqlite"),
    (WEB, "http"),
]
OPERATIONS = [
    (APPS, "app.list app.open app.activate app.quit app.place layout.activate"),
    (
        BROWSER,
        (
            "url.open tab.list tab.switch tab.close tab.url tab.title "
            "page.text page.links page.snapshot page.run_js page.click page.fill page.screenshot"
        ),
    ),
    (DESKTOP, "clipboard.read clipboard.write notify.show speech.say sound.set_volume focus.set_dnd shortcut.run"),
]
each = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda one: one.store)


@each
def test_the_facts_of_a_provider_are_owned_by_its_store(provider: Provider):
    assert {fact.owner for fact in provider.facts} <= {provider.store}


@each
def test_steps_and_facts_have_names_of_their_own(provider: Provider):
    known = Codec(provider.steps, provider.facts)

    assert len(known.steps) == len(provider.steps)
    assert len(known.facts) == len(provider.facts) + 1  # and the reference to what an earlier step left
    assert {step.store for step in provider.steps} == {provider.store}
    for step in provider.steps:
        assert {field.name for field in fields(step)}.issuperset((*step.paths, *step.apps)), step
    assert all(fact.fact for fact in provider.facts)


@each
def test_every_step_stands_in_the_union_that_backends_match_on(provider: Provider):
    union = import_module(provider.steps[0].__module__).Steps

    assert set(get_args(union) or (union,)) == set(provider.steps)


@each
def test_operations_take_this_store_and_describe_themselves(provider: Provider):
    takes = {operation.stores for operation in provider.operations}
    assert takes == ({(provider.store,)} if provider is not MCP else set())  # its operations are what servers offer
    assert all(operation.summary and operation.schema for operation in provider.operations)


@each
def test_each_backend_can_be_found(provider: Provider):
    for where in provider.backends.values():
        module, _, function = where.partition(":")
        assert callable(getattr(import_module(module), function))


@pytest.mark.parametrize(("provider", "default"), DEFAULTS)
def test_one_backend_is_taken_unasked_or_none_until_the_settings_choose(provider: Provider, default: str | None):
    assert provider.default == default


def test_a_browser_has_a_section_of_its_own_in_the_settings():
    assert BROWSER.section == "browser"


@pytest.mark.parametrize(("provider", "ids"), OPERATIONS)
def test_the_operations_are_those_of_the_specification(provider: Provider, ids: str):
    assert [operation.id for operation in provider.operations] == ids.split()


@pytest.mark.parametrize("provider", [APPS, BROWSER, DESKTOP])
async def test_the_memory_world_is_built_from_bare_settings(provider: Provider):
    module, _, build = provider.backends["memory"].partition(":")

    made = getattr(import_module(module), build)(
        BackendContext({}, "/home/ana", "/home/ana/.sayso", (), FakeClock(), NumberedIds())
    )

    assert (made.name, made.imagines) == ("memory", True)


def test_every_operation_step_and_fact_loads_where_no_optional_library_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for each in project["optional-dependencies"].values() for one in each if not one.startswith("sayso")]
    wanted = {re.split(r"[\[>=<~! ;]", one)[0].lower() for one in extras}
    modules = [name for name, dists in packages_distributions().items() if wanted & {dist.lower() for dist in dists}]
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({sorted(modules)!r}));"
        "from importlib import import_module; from sayso.providers import index;"
        "[import_module(place.partition(':')[0])"
        " for each in (index.OPERATIONS, index.STEPS, index.FACTS) for one in each.values() for place in one.values()]"
    )

    assert {"aiosmtplib", "icalendar", "websockets"} <= set(modules)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
