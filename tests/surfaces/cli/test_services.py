"""A service of the person's own runs exactly the words it is given, whatever is in them."""

import configparser
import plistlib
from pathlib import Path

import pytest

from sayso.core.errors import SetupError
from sayso.surfaces.cli.services import service

ARGV = ("/opt/my python/bin/python", "-m", "sayso", "trigger", "run")
ODD = '/home/x/50% "odd" $HOME\\n'


def test_on_linux_it_is_a_unit_of_the_persons_session():
    own = service("linux", {"SAYSO_HOME": "/home/x/own", "OTHER": "1"}, Path("/home/x"), 1000, ARGV)

    unit = configparser.ConfigParser(interpolation=None)
    unit.read_string(own.content.decode())
    assert own.file == Path("/home/x/.config/systemd/user/sayso.service")
    assert unit["Service"]["ExecStart"] == '"/opt/my python/bin/python" "-m" "sayso" "trigger" "run"'
    assert unit["Service"]["Environment"] == '"SAYSO_HOME=/home/x/own"'
    assert unit["Install"]["WantedBy"] == "default.target"
    assert [call.words for call in own.starts] == [
        ("--user", "daemon-reload"),
        ("--user", "enable", "--now", "sayso.service"),
    ]


def test_the_folder_of_settings_may_be_elsewhere():
    own = service("linux", {"XDG_CONFIG_HOME": "/x/conf"}, Path("/home/x"), 1000, ARGV)

    assert own.file == Path("/x/conf/systemd/user/sayso.service")
    assert b"Environment" not in own.content


def test_nothing_in_a_word_means_anything_to_systemd():
    own = service("linux", {"SAYSO_HOME": ODD}, Path("/home/x"), 1000, (ODD,))

    lines = own.content.decode().splitlines()
    assert 'Environment="SAYSO_HOME=/home/x/50%% \\"odd\\" $HOME\\\\n"' in lines
    assert 'ExecStart="/home/x/50%% \\"odd\\" $$HOME\\\\n"' in lines


def test_on_a_mac_it_is_a_launch_agent():
    own = service("darwin", {"SAYSO_HOME": ODD}, Path("/Users/x"), 501, (ODD, "run"))

    document = plistlib.loads(own.content)
    assert own.file == Path("/Users/x/Library/LaunchAgents/sayso.triggers.plist")
    assert document["ProgramArguments"] == [ODD, "run"]
    assert document["EnvironmentVariables"] == {"SAYSO_HOME": ODD}
    assert document["RunAtLoad"] is True
    assert [call.words for call in own.starts] == [("bootstrap", "gui/501", str(own.file))]
    assert [call.words for call in own.ends] == [("bootout", "gui/501/sayso.triggers")]


def test_elsewhere_it_says_what_to_do():
    with pytest.raises(SetupError, match="run “sayso trigger run” yourself"):
        service("plan9", {}, Path("/home/x"), 1000, ARGV)
