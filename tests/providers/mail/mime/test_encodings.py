"""What was encoded is decoded, and what is broken gives what can be had of it."""

import base64
import quopri

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.providers.mail.mime.encodings import about, base64_of, decoded_bytes


@given(st.binary(max_size=300))
def test_what_was_encoded_comes_back(data: bytes):
    assert decoded_bytes(base64.encodebytes(data), "BASE64 ") == data
    assert decoded_bytes(quopri.encodestring(data, quotetabs=True), "quoted-printable") == data
    assert decoded_bytes(data, "8bit") == data


@given(st.binary(min_size=3, max_size=300), st.integers(0, 400))
def test_base64_that_was_cut_off_gives_its_beginning(data: bytes, cut: int):
    found = base64_of(base64.encodebytes(data)[:cut])

    assert data.startswith(found)
    assert len(found) >= min(len(data), max(0, cut - cut // 76 - 4) * 3 // 4 - 3)


@pytest.mark.parametrize("data", [b"", b"=", b"A", b"====", b"A=B=C=D", b"\xff\xfe", b"!!!!"])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "x-unknown", ""])
def test_nothing_is_too_broken(data: bytes, encoding: str):
    assert isinstance(decoded_bytes(data, encoding), bytes)


def test_the_size_of_a_file_is_about_what_it_will_have():
    data = b"x" * 10_000

    assert abs(about("base64", len(base64.encodebytes(data).replace(b"\n", b"\r\n"))) - len(data)) < 100
    assert about("7bit", 12) == 12
