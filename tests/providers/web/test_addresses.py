"""Only addresses of computers on the internet are reached, however they are written, and a listed host is exact."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import ProposalError
from sayso.core.settings import NotOfKind
from sayso.providers.web import HOSTS
from sayso.providers.web.addresses import read_web_address, why_not_public, why_refused

PUBLIC = ("1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.255.255", "172.32.0.1", "100.63.0.1", "2606:4700::1111",
          "2a00:1450:4001::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8")  # fmt: skip
NOT_PUBLIC = (
    "127.0.0.1", "127.255.255.254", "0.0.0.1", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1", "192.88.99.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001::1", "2001:db8::1",
    "2001:10::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "3fff::1", "100::1",
    "5f00::1", "4000::1",
)  # fmt: skip
"""By the registries of IANA for special addresses."""


@pytest.mark.req("T-90")
@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_an_address_of_any_special_kind_is_not_reached(text: str):
    assert why_not_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_on_the_internet_is_reached(text: str):
    assert why_not_public(ipaddress.ip_address(text)) == ""


ADDRESSES = st.one_of(
    st.ip_addresses(),
    st.sampled_from(NOT_PUBLIC).map(ipaddress.ip_address),
    st.integers(0, 2**32 - 1).map(lambda low: ipaddress.IPv6Address((0xFFFF << 32) | low)),
    st.integers(0, 2**32 - 1).map(lambda low: ipaddress.IPv6Address((0x64FF9B << 96) | low)),
)


@pytest.mark.req("T-90")
@given(ADDRESSES)
def test_what_python_calls_special_is_never_reached(address: ipaddress.IPv4Address | ipaddress.IPv6Address):
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    if isinstance(address, ipaddress.IPv6Address) and address in ipaddress.ip_network("64:ff9b::/96"):
        inner = ipaddress.IPv4Address(address.packed[-4:])
    judged = inner or address
    special = not judged.is_global or judged.is_multicast or judged.is_reserved or judged.is_link_local

    assert why_not_public(address) or not special


@pytest.mark.req("T-90")
@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.01", "1.2.3", "1.2.3.4.5",
     "foo.1", "foo.0x1", "[fe80::1%25eth0]", "[fe80::1%eth0]", "a..b", "a.b..", "-a.org", "a-.org", "a_.org%00",
     "ß.org", "ς.org", "a\u200db.org", "x" * 64 + ".org", ".".join(["a" * 60] * 5),
     "\uff11\uff12\uff17.1", "127\u30021"],
)  # fmt: skip
def test_a_host_that_programs_read_apart_is_refused(host: str):
    with pytest.raises(ProposalError):
        read_web_address(f"http://{host}/")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTP://X.ORG", "http://x.org/"),
        ("https://x.org.:443/a?b=c#d", "https://x.org/a?b=c"),
        ("http://x.org:8080/ü?q=ä%20", "http://x.org:8080/%C3%BC?q=%C3%A4%20"),
        ("https://Bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[::0001]:80/", "http://[::1]/"),
        ("http://\uff11\uff12\uff17.0.0.1/", "http://127.0.0.1/"),
        ("http://127\u30020\u30020\u30021/", "http://127.0.0.1/"),
    ],
)
def test_an_address_is_shown_as_it_is_sent(text: str, url: str):
    assert read_web_address(text).url == url


@pytest.mark.req("T-90")
@pytest.mark.parametrize(
    ("url", "listed", "address", "reached"),
    [
        ("http://localhost:8000/", ("localhost:8000",), "127.0.0.1", True),
        ("http://localhost:8001/", ("localhost:8000",), "127.0.0.1", False),
        ("http://localhost/", ("localhost:8000",), "127.0.0.1", False),
        ("http://printer.local/", ("printer.local",), "192.168.1.9", True),
        ("https://printer.local/", ("printer.local",), "192.168.1.9", True),
        ("http://printer.local:631/", ("printer.local",), "192.168.1.9", False),
        ("http://a.printer.local/", ("printer.local",), "192.168.1.9", False),
        ("http://printer.local.evil.test/", ("printer.local",), "192.168.1.9", False),
        ("http://printer.local/", ("printer.local",), "169.254.169.254", False),
        ("http://169.254.169.254/", ("169.254.169.254",), "169.254.169.254", True),
        ("http://[::1]:9/", ("[::1]:9",), "::1", True),
    ],
)
def test_a_listed_host_is_that_host_and_port_and_no_other(
    url: str, listed: tuple[str, ...], address: str, *, reached: bool
):
    refused = why_refused(ipaddress.ip_address(address), read_web_address(url), listed)

    assert (refused == "") is reached


def test_the_setting_takes_hosts_and_nothing_else():
    taken = HOSTS.read(["Printer.local.", "localhost:8000", "::1", "[::1]:9", "x.org:80"])

    assert taken == ("printer.local", "localhost:8000", "[::1]", "[::1]:9", "x.org")
    for odd in ("*.local", "http://x.org", "x.org/", "a@x.org", "127.1", "x.org:0", "x.org:99999", " ", "x y"):
        with pytest.raises(NotOfKind):
            HOSTS.read([odd])
