"""A password is told to the server that the settings name and to nobody else, and never in the open."""

import pytest

from sayso.core.errors import ProviderError, SetupError
from sayso.providers.calendar.caldav.client import Client, must_be_safe, path_of
from tests.desktop_env.browser import serving
from tests.desktop_env.radicale import password

HERE = "https://cal.example.org/dav/"


def client(url: str = HERE) -> Client:
    return Client(url, "ana", password)


@pytest.mark.parametrize("url", [HERE, "http://127.0.0.1:5232/", "http://[::1]/", "http://localhost/"])
def test_an_address_is_safe_when_it_is_encrypted_or_stays_here(url: str):
    assert must_be_safe(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://cal.example.org/",
        "ftp://x/",
        "https://",
        "https://ana:x@cal.example.org/",
        "nonsense",
        "http://127.0.0.1.example.org/",
        "https://x:99999/",
    ],
)
def test_any_other_address_is_refused_without_telling_what_is_in_it(url: str):
    with pytest.raises(SetupError, match=r"calendar\.url") as refused:
        must_be_safe(url)

    assert "ana:x" not in str(refused.value)


@pytest.mark.parametrize(
    "href",
    ["https://evil.example/", "http://cal.example.org/dav/", "//evil.example/x", "https://cal.example.org:8443/"],
)
def test_nobody_else_is_asked(href: str):
    with pytest.raises(ProviderError, match=r"calendar\.url"):
        client().whole(href)


def test_a_path_is_one_on_the_server():
    assert client().whole("/dav/ana/") == "https://cal.example.org/dav/ana/"
    assert client().said == "cal.example.org"
    assert path_of("https://x/%7Eana/a%20b") == "/~ana/a b"


@pytest.mark.req("SE-03")
async def test_another_port_of_this_machine_to_which_a_server_sends_hears_nothing():
    with serving() as server, serving() as other:
        server.pages["/dav"] = (302, {"Location": other.url("/dav")}, b"")

        with pytest.raises(ProviderError, match=r"sends sayso to .*set calendar\.url"):
            await client(server.url("/dav")).look("GET", server.url("/dav"))

    assert (server.asked, other.asked) == (["/dav"], [])
