"""A server's calendars are found from whatever address a person has, and written to where they may be."""

import pytest

from sayso.core.errors import ProviderError
from sayso.providers.calendar.caldav.client import Client
from sayso.providers.calendar.caldav.server import Server
from tests.desktop_env.radicale import USER, Radicale, password


def server(url: str, chosen: str = "") -> Server:
    return Server(Client(url, USER, password), chosen)


@pytest.mark.parametrize("path", ["", "ana/", "ana/work/"])
async def test_calendars_are_found_from_the_top_the_person_or_the_calendar(radicale: Radicale, path: str):
    radicale.clear()
    radicale.calendar("work", "Büro")

    found = await server(f"{radicale.url}{path}").shelves()

    assert [(shelf.href, shelf.name, sorted(shelf.kinds)) for shelf in found] == [
        ("/ana/work/", "Büro", ["VEVENT", "VTODO"])
    ]


async def test_a_server_without_calendars_says_so(radicale: Radicale):
    radicale.clear()

    with pytest.raises(ProviderError, match="there is no calendar of yours"):
        await server(radicale.url).shelves()


async def test_something_new_goes_to_the_chosen_calendar(radicale: Radicale):
    radicale.clear()
    radicale.calendar("a", "First")
    radicale.calendar("work", "Büro")

    assert await server(radicale.url).new_place("u", "", "VEVENT") == "/ana/work/u.ics"
    assert await server(radicale.url, "first").new_place("u", "", "VTODO") == "/ana/a/u.ics"
    asked = server(radicale.url)
    assert asked.calendar_of(await asked.new_place("u", "First", "VEVENT")) == "First"


async def test_a_page_that_is_no_calendar_server_says_so(radicale: Radicale):
    with pytest.raises(ProviderError, match=r"check calendar\.url"):
        await server(f"{radicale.url}.web/").shelves()
