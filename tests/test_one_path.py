"""There is one path: nothing but the runtime applies a step, and only the named rooms touch the world at all."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.trees import parsed

SOURCE = Path(__file__).parent.parent / "src" / "sayso"
APPLIES = {"runtime/apply.py"}

# What changes the disk, starts programs or opens connections, and the rooms that may.
CHANGES_THE_DISK = {
    "chmod", "fchmod", "link", "mkdir", "makedirs", "mkdtemp", "remove", "rename", "replace_file", "rmdir", "rmtree",
    "symlink", "symlink_to", "touch", "truncate", "ftruncate", "unlink", "utime", "write_bytes", "write_text", "writev",
    "setxattr", "removexattr", "renameat2", "copyfile", "copy2", "copytree", "mkfifo", "mkstemp",
}  # fmt: skip
MAY_CHANGE_THE_DISK = (
    "providers/files/local/",  # file actions, by descriptor
    "providers/disk/",  # the calls they are made of, and small texts in a folder of their own
    "journal/",  # its own database, copies and daily files
    "providers/accounts/keyring.py",  # the mark of when the keyring last did not answer
    "providers/apps/kwin.py",  # the script that KWin reads, for a moment
    "providers/browser/bidi/session.py",  # what is kept of Firefox from one use to the next
    "providers/browser/remote/reads.py",  # private pictures of pages, for a day
    "providers/browser/bidi/launcher.py",  # the profile of sayso's own Firefox
    "providers/browser/cdp/broker.py",  # the socket by which sayso's own browser is reached
    "providers/browser/cdp/launcher.py",  # the profile of sayso's own browser
    "providers/browser/remote/launcher.py",  # where it listens, told in its profile
    "providers/browser/address.py",  # on which ports pages of sayso's own are
    "providers/mail/maildir/",  # the person's mail, one file a message
    "providers/mail/outbox.py",  # which messages a server was told of
    "providers/tasks/sqlite/database.py",  # the person's own lists, and a copy of them
    "providers/desktop/stash.py",  # what the clipboard held, until it is put back
    "providers/desktop/shortcuts.py",  # the private file that a shortcut reads its input from
    "providers/desktop/macos/",  # which process speaks which text, and the input of a shortcut
    "providers/macos/engine.py",  # the folder of the private file that a script reads its data from
    "providers/mcp/keeper.py",  # the socket by which a wrapped server is shared
    "providers/mcp/process.py",  # the folder that it is in
    "providers/mcp/definitions.py",  # the tools of wrapped servers, as the person accepted them
    "providers/programs/supervisor.py",  # that file, removed even when sayso is killed
    "providers/programs/run.py",
    "config/",  # the settings file
    "runtime/locks.py",  # lock files
    "runtime/maintenance.py",  # the mark of when it was last done
    "templates/runner.py",  # the file of a new action of the person's own, where none is yet
    "assembly/archive.py",  # a backup, and its files beside the home that it is put back into
    "assembly/restore.py",  # the person's own home, put back from a backup after their yes
    "surfaces/mcp/tokens.py",  # the secret that the tokens of agents are made from
    "surfaces/cli/context.py",  # an export that could not be written whole
    "surfaces/cli/demo.py",  # plants and removes its own scratch home
    "surfaces/cli/commands/triggers.py",  # the file of the service of the person's own session
    "surfaces/cli/editor.py",  # the private file that the person edits a preview in
)
STARTS_OR_CONNECTS = {"asyncio.subprocess", "ctypes", "httpx2", "multiprocessing", "pty", "socket", "subprocess"}
MAY_START_OR_CONNECT = {
    "providers/accounts/errors.py": {"socket"},  # the names of what can go wrong with one
    "providers/apps/x11_connection.py": {"socket"},  # ends a connection that hangs
    "models/client.py": {"httpx2"},  # the model's server that the settings name, through its client library
    "providers/dbus/session.py": {"socket"},  # the connection to a bus, or to sway
    "providers/browser/cdp/broker.py": {"socket"},  # the private socket of sayso's own browser
    "providers/browser/remote/local_socket.py": {"socket"},  # the connection to it
    "providers/browser/remote/launcher.py": {"socket"},  # a port that is free
    "providers/browser/remote/websocket.py": {"socket"},  # the connection to a browser
    "providers/calendar/caldav/client.py": {"httpx2"},  # the calendar server that the settings name
    "providers/calendar/caldav/discovery.py": {"httpx2"},  # where a domain says that its calendars are, once asked to
    "providers/disk/syscalls.py": {"ctypes"},
    "providers/mail/imap/client.py": {"socket"},  # commands are not held back
    "providers/mail/account_setup.py": {"socket", "httpx2"},  # which servers a domain has, once asked to
    "providers/programs/run.py": {"subprocess"},  # the one runner: tests/test_one_runner.py
    "providers/mcp/keeper.py": {"socket"},  # the private socket by which a wrapped server is shared
    "providers/mcp/process.py": {"socket"},  # the connection to it
    "providers/mcp/http.py": {"httpx2"},  # the MCP servers whose addresses the settings name
    "providers/web/client.py": {"httpx2", "socket"},  # one request, which the person saw whole; see T-90
    "runtime/recovery.py": {"socket"},  # the host's name
    "surfaces/local_server.py": {"socket"},  # the port on this computer for the page, and for agents with a token
    "templates/child/sandbox.py": {"ctypes"},  # the calls by which a process gives up what it may
}


class Module(NamedTuple):
    """What a module calls as a method, and what it imports, by the first name."""

    calls: frozenset[str]
    imports: frozenset[str]


@cache
def modules() -> Mapping[str, Module]:
    """Return every module of sayso by its path."""
    return {
        file.relative_to(SOURCE).as_posix(): look_at(parsed(file.read_text("utf-8")))
        for file in sorted(SOURCE.rglob("*.py"))
    }


def look_at(tree: ast.Module) -> Module:
    calls, imports = set[str](), set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                calls.add(name)
            case ast.Import(names=names):
                imports |= {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(module=str() as module):
                imports.add(module.split(".")[0])
            case _:
                pass
    return Module(frozenset(calls), frozenset(imports))


@pytest.mark.req("X-02")
def test_nothing_but_the_runtime_applies_a_step() -> None:
    applying = {name for name, module in modules().items() if "apply" in module.calls}

    assert {name for name in applying if not name.startswith("testing/")} == APPLIES


def test_nothing_but_the_named_rooms_changes_the_disk() -> None:
    changing = {
        name: sorted(module.calls & CHANGES_THE_DISK)
        for name, module in modules().items()
        if not name.startswith(("testing/", *MAY_CHANGE_THE_DISK))
    }

    assert {name: found for name, found in changing.items() if found} == {}


@pytest.mark.req("X-07", "AP-07", "SE-04")
def test_nothing_starts_a_program_or_opens_a_connection() -> None:
    found = {
        name: module.imports & STARTS_OR_CONNECTS - MAY_START_OR_CONNECT.get(name, set())
        for name, module in modules().items()
        if not name.startswith("testing/")
    }

    assert {name: names for name, names in found.items() if names} == {}


def test_no_list_of_exceptions_is_longer_than_needed() -> None:
    by_name = modules()

    assert all(by_name[name].imports >= names for name, names in MAY_START_OR_CONNECT.items())
    changing = [name for name, module in by_name.items() if module.calls & CHANGES_THE_DISK]
    for place in MAY_CHANGE_THE_DISK:
        assert any(name.startswith(place) for name in changing), place
