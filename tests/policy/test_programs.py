"""A file is passive only if both its name and its first bytes say so."""

import pytest

from sayso.policy.programs import HEAD, OBEYED, is_passive, keeps_kind, why_program

OTHERS_RUN = """
package.json Package.JSON package-lock.json CMakeLists.txt Cargo.toml build.rs tox.ini pyproject.toml requirements.txt
mise.toml .lvimrc deno.json .pre.just vite.config.ts compose.yaml App.csproj x.docm x.XLSM. x.fods work.code-workspace
"""
OBEY = """
CLAUDE.md claude.local.md AGENTS.md agents.MD. GEMINI.md SKILL.md .cursorrules .windsurfrules copilot-instructions.md
style.mdc python.instructions.md
"""
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("/a/notes.txt", b""),
        ("/a/notes.TXT", "Grüße\n\ttab".encode()),
        ("/a/x.log", ("é" * HEAD).encode()[: HEAD - 1]),
        ("/a/x.png", PNG),
        ("/a/x.JPG", b"\xff\xd8\xff\xe0"),
        ("/a/x.jpeg", b"\xff\xd8\xff\xdb"),
        ("/a/x.gif", b"GIF89a"),
        ("/a/x.webp", b"RIFF\0\0\0\0WEBPVP8 "),
        ("/a/x.wav", b"RIFF\0\0\0\0WAVEfmt "),
        ("/a/x.flac", b"fLaC"),
        ("/a/x.ogg", b"OggS"),
        ("/a/x.mp3", b"ID3\x04"),
    ],
)
def test_plain_text_pictures_and_sounds_are_passive(path: str, head: bytes):
    assert is_passive(path, head)


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("/a/page.html", b"Hello"),
        ("/a/x.svg", b"<svg>"),
        ("/a/x.md", b"# Title"),
        ("/a/x.csv", b"a,b"),
        ("/a/x.pdf", b"%PDF-1.7"),
        ("/a/x.odt", b"PK\x03\x04"),
        ("/a/x.zip", b"PK\x03\x04"),
        ("/a/x.mp4", b"\0\0\0\x18ftyp"),
        ("/a/x.m3u", b"#EXTM3U"),
        ("/a/x.what", b"Hello"),
        ("/a/x", b"Hello"),
        ("/a/.txt", b"Hello"),
        ("/a/x.txt:x", b"Hello"),
        ("/a/x.txt.", b"Hello"),
        ("/a/x.txt", b"\n  <html>"),
        ("/a/x.txt", b"\xef\xbb\xbf<html>"),
        ("/a/x.txt", b"#!/bin/sh"),
        ("/a/x.txt", b"%PDF-1.7"),
        ("/a/x.txt", b"[Desktop Entry]"),
        ("/a/x.txt", b"{\\rtf1"),
        ("/a/x.txt", b"a\0b"),
        ("/a/x.txt", b"\x1b]0;title\x07"),
        ("/a/x.txt", b"\xff\xfe<\0h\0"),
        ("/a/x.txt", b"\xc3("),
        ("/a/x.png", b"<svg>"),
        ("/a/x.png", b"GIF89a"),
        ("/a/x.jpg", b""),
        ("/a/x.webp", b"RIFF\0\0\0\0AVI "),
        ("/a/x.mp3", b"#EXTM3U\n"),
    ],
)
def test_everything_else_is_not_and_neither_is_what_only_looks_like_it(path: str, head: bytes):
    assert not is_passive(path, head)


@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("/a/x.sh", b""),
        ("/a/x.SH.", b""),
        ("/a/x.py", b""),
        ("/a/x.js", b""),
        ("/a/x.desktop", b""),
        ("/a/x.service", b""),
        ("/a/x.timer", b""),
        ("/a/Makefile", b""),
        ("/a/rules.mk", b""),
        *((f"/a/{name}", b"") for name in OTHERS_RUN.split()),
        ("/a/x", b"#!/bin/sh"),
        ("/a/x.txt", b"#! /bin/sh"),
        ("/a/x", b"\x7fELF"),
    ],
)
def test_a_program_is_known_by_its_name_or_its_first_bytes(path: str, head: bytes):
    assert why_program(path, head)


@pytest.mark.parametrize(
    "path", ["/a/x.txt", "/a/x.md", "/a/x.html", "/a/makefile.txt", "/a/sh", "/a.sh/x", "/a/x.bin"]
)
def test_another_file_is_no_program(path: str):
    assert why_program(path, b"# Title") is None


@pytest.mark.parametrize("name", [*OBEY.split(), "\uff23LAUDE.md"])
def test_what_coding_agents_obey_is_known_by_its_name(name: str):
    assert why_program(f"/a/{name}") == OBEYED


@pytest.mark.parametrize(
    "name", ["notes.md", "claude.txt", "package.txt", "x.docx", "x.ods", "instructions.md", "a.toml"]
)
def test_what_only_resembles_those_is_a_file_like_any_other(name: str):
    assert why_program(f"/a/{name}") is None


def test_a_file_that_gets_such_a_name_becomes_one():
    assert not keeps_kind("/a/AGENTS.md", "/a/CLAUDE.md")
    assert not keeps_kind("/a/a.json", "/a/package.json")
    assert keeps_kind("/a/x/AGENTS.md", "/b/AGENTS.md")
