"""The settings of a home as one value."""

import os
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from sayso.config import Settings, load
from sayso.config.load import key_called, read_administrator_settings, read_file, read_settings_bytes, restrict_values
from sayso.config.named_tables import Placement, Preset
from sayso.config.schema import BY_NAME, KEYS, SECTIONS, keys_of
from sayso.core.errors import SetupError
from sayso.policy.paths import within
from sayso.policy.rules import allows
from sayso.policy.settings import Policy, default_allowed_apps
from tests.policy.given import with_policy

CASES = tomllib.loads((Path(__file__).parent / "cases" / "refused.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_is_not_right_is_refused_in_one_sentence_that_names_it(case: dict[str, Any]):
    with pytest.raises(SetupError) as raised:
        read_settings_bytes(case["text"].encode(), "config.toml")

    sentence = str(raised.value)
    assert raised.value.code == case["code"]
    assert [words for words in case["says"] if words not in sentence] == []
    assert "hunter2" not in sentence
    assert "config.toml" in sentence


def test_an_empty_file_sets_nothing():
    assert read_settings_bytes(b"", "config.toml").values == {}


def test_an_empty_list_is_not_the_same_as_none():
    assert read_settings_bytes(b"[policy]\nallowed_operations = []", "config.toml").values == {
        "policy.allowed_operations": ()
    }


def test_values_are_read_into_what_they_mean():
    text = b'[policy]\nundo_bytes = "1 GiB"\ngrant_expires = "7d"\n[mail]\nport = 993\n[limits]\nreply_bytes = 1000\n'

    assert read_settings_bytes(text, "config.toml").values == {
        "policy.undo_bytes": 1_073_741_824,
        "policy.grant_expires": 604_800,
        "mail.port": 993,
        "limits.reply_bytes": 1000,
    }


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(SetupError, match="UTF-8"):
        read_settings_bytes(b"\xff\xfe", "config.toml")


def test_presets_are_read():
    text = b'[[preset]]\nname = "Work"\nplacements = [{app_name = "Mail", monitor = "left", bounds = [0, 0, 8, 9]}]'

    assert read_settings_bytes(text, "config.toml").presets == (
        Preset("Work", (Placement("Mail", "left", (0, 0, 8, 9)),)),
    )


def test_an_administrator_may_set_nothing_but_policy_and_limits():
    with pytest.raises(SetupError, match="no section \\[mail\\]"):
        read_settings_bytes(b"[mail]\nport = 1", "policy.toml", ("policy", "limits"))
    with pytest.raises(SetupError, match="no section \\[preset\\]"):
        read_settings_bytes(b"[[preset]]\nname = 1", "policy.toml", ("policy", "limits"))


def test_sections_of_other_packages_are_taken_as_they_are():
    text = b"[lamps]\nbridge = 3"

    assert read_settings_bytes(text, "config.toml", others=["lamps"]).others == {"lamps": {"bridge": 3}}
    with pytest.raises(SetupError):
        read_settings_bytes(text, "config.toml")


def test_a_key_is_found_by_its_full_name_and_where_only_one_has_it_by_its_own():
    assert key_called("policy.mode").full == "policy.mode"
    assert key_called("mode").full == "policy.mode"


@pytest.mark.parametrize(
    ("name", "words"), [("policy.mod", "“policy.mode”"), ("kind", "no setting"), ("", "no setting")]
)
def test_a_key_that_there_is_not_is_an_error_with_a_near_name(name: str, words: str):
    with pytest.raises(SetupError, match=words):
        key_called(name)


@drawn(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes):
    with suppress(SetupError):
        read_settings_bytes(data, "config.toml")


def a_file(folder: Path, text: str, mode: int = 0o644) -> Path:
    """Return a file of an administrator who is the one running the tests."""
    file = folder / "policy.toml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_it_is_read_when_it_is_the_administrators(tmp_path: Path):
    file = a_file(tmp_path, '[policy]\nmode = "always"\n[limits]\nwaiting = 5\n')

    assert read_administrator_settings(file, os.getuid()) == {"policy.mode": "always", "limits.waiting": 5}


def test_without_a_file_nothing_is_set(tmp_path: Path):
    assert read_administrator_settings(tmp_path / "policy.toml") == {}


def test_a_file_of_anybody_else_stops_everything(tmp_path: Path):
    file = a_file(tmp_path, "")

    with pytest.raises(SetupError, match="owned by root") as raised:
        read_administrator_settings(file, os.getuid() + 1)

    assert raised.value.code == "config.administrator"


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666])
def test_a_file_that_others_may_write_stops_everything(tmp_path: Path, mode: int):
    with pytest.raises(SetupError, match="chmod go-w"):
        read_administrator_settings(a_file(tmp_path, "", mode), os.getuid())


def test_what_is_no_plain_file_stops_everything(tmp_path: Path):
    os.mkfifo(tmp_path / "policy.toml")

    with pytest.raises(SetupError, match="is not a plain file"):
        read_administrator_settings(tmp_path / "policy.toml", os.getuid())


def test_a_mistake_in_it_is_named_with_the_file(tmp_path: Path):
    with pytest.raises(SetupError, match=r"policy\.toml"):
        read_administrator_settings(a_file(tmp_path, "[policy]\nmod = 1"), os.getuid())


@pytest.mark.parametrize(
    ("key", "own", "other", "holds"),
    [
        ("policy.mode", "never", "always", "always"),
        ("policy.mode", "always", "never", "always"),
        ("policy.mode", "never", "destructive", "destructive"),
        ("policy.paused", False, True, True),
        ("policy.paused", True, False, True),
        ("policy.strict_apps", False, False, False),
        ("policy.stop_on_error", False, True, True),
        ("policy.confirm_destructive_clicks", False, True, True),
        ("policy.allowed_apps", ("Mail", "Notes"), ("mail", "Safari"), ("Mail",)),
        ("policy.allowed_apps", ("Mail",), (), ()),
        ("policy.waive_floor", ("file.delete", "mail.send"), ("mail.send",), ("mail.send",)),
        ("policy.waiting_expires", 10, 20, 10),
        ("policy.grant_expires", 20, 10, 10),
        ("policy.undo_keep", 20, 10, 10),
        ("policy.undo_bytes", 10, 20, 10),
        ("policy.audit_keep", 10, 20, 20),
        ("policy.audit_redact", ("body",), ("content", "body"), ("body", "content")),
        ("policy.append_missing", "create", "error", "error"),
        ("policy.append_missing", "error", "create", "error"),
        ("policy.confirm_sites", ("a.org",), ("b.org",), ("a.org", "b.org")),
        ("limits.actions_per_run", 5000, 10, 10),
        ("limits.argument_bytes", 5, 10, 5),
    ],
)
def test_the_stricter_of_the_two_holds(key: str, own: Any, other: Any, holds: Any):
    assert restrict_values({key: own}, {key: other}) == {key: holds}
    assert restrict_values({key: own}, {}) == {key: own}


@pytest.mark.parametrize("own", [("*",), ("file.*",), ("file.*", "notify.show"), (), ("*.delete", "url.open")])
@pytest.mark.parametrize("other", [("*",), ("*.delete", "notify.*"), ("file.delete",), (), ("file.[dm]*",)])
def test_an_operation_runs_only_when_both_allow_it(own: tuple[str, ...], other: tuple[str, ...]):
    name = "policy.allowed_operations"
    together: Any = restrict_values({name: own}, {name: other})[name]

    for operation in ("file.delete", "file.move", "file.copy", "notify.show", "url.open", "task.delete"):
        one, two = (allows(with_policy(allowed_operations=globs), operation) for globs in (own, other))
        assert allows(with_policy(allowed_operations=together), operation) is (one and two)


class Home:
    """A person's home on a real disk, with settings of sayso and of an administrator."""

    def __init__(self, place: Path) -> None:
        self.person = place / "ana"
        self.own = self.person / ".sayso"
        self.administrator = place / "policy.toml"
        for name in ("Documents", "Downloads", "Desktop"):
            (self.person / name).mkdir(parents=True)
        self.environ = {"HOME": str(self.person), "SAYSO_HOME": str(self.own)}

    def load(self, text: str = "", administrator: str | None = None) -> Settings:
        """Load these settings."""
        self.own.mkdir(exist_ok=True)
        (self.own / "config.toml").write_text(text, encoding="utf-8")
        if administrator is not None:
            self.administrator.write_text(administrator, encoding="utf-8")
            self.administrator.chmod(0o644)
        return load(self.environ, administrator=self.administrator, owner=os.getuid())

    def tilde(self, paths: tuple[str, ...]) -> list[str]:
        """Write paths with `~`."""
        return [path.replace(str(self.person), "~") for path in paths]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return an ordinary home."""
    return Home(tmp_path)


@pytest.mark.req("X-16")
def test_without_any_file_the_defaults_hold(home: Home):
    settings = load(home.environ, administrator=home.administrator)

    policy = settings.policy
    roots = tuple(f"{home.person}/{name}" for name in ("Documents", "Downloads", "Desktop"))
    assert policy == Policy(
        home=str(home.person),
        own=str(home.own),
        real_home=str(home.person),
        real_own=str(home.own),
        roots=roots,
        real_roots=roots,
        allowed_apps=default_allowed_apps(sys.platform),
    )
    assert settings.sections["model"]["name"] == "embedded"
    assert settings.sections["mail"] == {}
    assert settings.missing_roots == ()
    assert not home.own.exists()


def test_a_settings_file_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path):
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)

    with pytest.raises(SetupError, match="not a plain file"):
        read_file(pipe)


def test_what_is_written_holds(home: Home):
    settings = home.load(
        '[policy]\nmode = "always"\nallowed_apps = []\nundo_keep = "1w"\n[limits]\nwaiting = 3\n'
        '[automation]\nenabled = false\n[notes]\nkind = "folder"\npath = "~/Notes"\n'
    )

    assert (settings.policy.mode, settings.policy.allowed_apps, settings.policy.undo_keep) == ("always", (), 604_800)
    assert (settings.policy.limits.waiting, settings.policy.automation) == (3, False)
    assert settings.sections["notes"] == {"kind": "folder", "path": f"{home.person}/Notes"}


def test_a_root_that_is_not_there_is_left_out_and_remembered_and_never_made(home: Home):
    (home.person / "Desktop").rmdir()
    (home.person / "file").write_text("x", encoding="utf-8")

    defaults = home.load()
    written = home.load('[policy]\nroots = ["~/Documents", "~/gone", "~/file"]')

    assert home.tilde(defaults.policy.roots) == ["~/Documents", "~/Downloads"]
    assert home.tilde(defaults.missing_roots) == ["~/Desktop"]
    assert home.tilde(written.policy.roots) == ["~/Documents"]
    assert home.tilde(written.missing_roots) == ["~/gone", "~/file"]
    assert not (home.person / "Desktop").exists()
    assert not (home.person / "gone").exists()


def test_roots_and_home_are_known_with_their_links_resolved(home: Home, tmp_path: Path):
    (tmp_path / "disk").mkdir()
    (home.person / "Work").symlink_to(tmp_path / "disk")
    (tmp_path / "link").symlink_to(home.person)
    home.environ["HOME"] = str(tmp_path / "link")

    policy = home.load('[policy]\nroots = ["~/Work"]').policy

    assert (policy.roots, policy.real_roots) == ((f"{tmp_path}/link/Work",), (f"{tmp_path}/disk",))
    assert (policy.home, policy.real_home) == (f"{tmp_path}/link", str(home.person))


def test_no_roots_at_all_is_not_the_same_as_none_written(home: Home):
    assert home.load("[policy]\nroots = []").policy.roots == ()
    assert home.load("[policy]\n").policy.roots != ()


def test_the_home_is_a_root_only_where_it_is_written(home: Home):
    (home.person / ".config").mkdir()
    (home.person / ".config" / "user-dirs.dirs").write_text('XDG_DOCUMENTS_DIR="$HOME/"\n', encoding="utf-8")

    assert str(home.person) not in home.load().policy.roots
    assert home.load('[policy]\nroots = ["~"]').policy.roots == (str(home.person),)


def test_settings_that_stand_apart_are_saysos_own_too(
    tmp_path: Path, scratch_home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "etc"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("SAYSO_HOME")

    settings = load(os.environ, administrator=tmp_path / "none")

    policy = settings.policy
    assert within(str(settings.places.config), (policy.own, *policy.also_own))


@pytest.mark.req("FS-11")
def test_settings_that_are_a_link_are_saysos_own_where_they_really_stand(home: Home):
    dotfiles = home.person / "Documents" / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "sayso.toml").write_text("[policy]\n", encoding="utf-8")
    home.own.mkdir()
    (home.own / "config.toml").symlink_to(dotfiles / "sayso.toml")

    policy = load(home.environ, administrator=home.administrator).policy

    assert policy.also_own == (str(dotfiles / "sayso.toml"),)


@pytest.mark.parametrize("state", ["sayso.db", "trash", "locks", ".logs", ".logs/actions", "tmp", "upkeep"])
@pytest.mark.req("FS-11")
def test_nothing_starts_where_state_is_a_link_into_a_root(home: Home, state: str):
    (home.own / state).parent.mkdir(parents=True)
    (home.own / state).symlink_to(home.person / "Documents" / "elsewhere")

    with pytest.raises(SetupError, match=r"leads by a link to .*/Documents/elsewhere.*, where actions may write"):
        home.load()


def test_state_may_be_a_link_to_another_disk(home: Home, tmp_path: Path):
    (tmp_path / "disk").mkdir()
    home.own.mkdir()
    (home.own / "trash").symlink_to(tmp_path / "disk")

    assert home.load().policy.also_own == (str(tmp_path / "disk"),)


def test_saysos_whole_folder_may_lie_in_a_root(home: Home):
    assert home.load('[policy]\nroots = ["~"]').policy.also_own == ()


@pytest.mark.parametrize(
    ("own", "administrator", "holds"),
    [("true", "false", False), ("true", "true", True), ("false", "true", False), ("true", None, True)],
)
def test_an_administrator_can_forbid_uncontained_handlers(
    home: Home, own: str, administrator: str | None, *, holds: bool
):
    theirs = f"[actions]\nallow_uncontained = {administrator}\n" if administrator else "[limits]\nwaiting = 3\n"

    settings = home.load(f"[actions]\nallow_uncontained = {own}\n", theirs)

    assert settings.values["actions.allow_uncontained"] is holds


def test_the_stricter_of_person_and_administrator_holds_for_each_key(home: Home):
    settings = home.load(
        '[policy]\nmode = "never"\nallowed_operations = ["file.*", "notify.show"]\nwaive_floor = ["file.delete"]',
        '[policy]\nmode = "destructive"\nallowed_operations = ["*"]\nwaive_floor = []\nstrict_apps = true\n'
        "[limits]\nactions_per_run = 7\n",
    )

    policy = settings.policy
    assert (policy.mode, policy.waive_floor, policy.strict_apps) == ("destructive", (), True)
    assert policy.allowed_operations == ("file.*", "notify.show")
    assert (policy.limits.actions_per_run, policy.limits.waiting) == (7, 200)
    assert policy.allowed_apps == default_allowed_apps(sys.platform)
    assert "policy.mode" in settings.administered


def test_an_administrators_roots_never_widen_the_persons(home: Home):
    (home.person / "Documents" / "Work").mkdir()
    (home.person / "Music").mkdir()

    roots = home.load("", '[policy]\nroots = ["~/Documents/Work", "~/Music", "~/Downloads"]').policy.roots

    assert home.tilde(roots) == ["~/Documents/Work", "~/Downloads"]
    assert home.load("", "[policy]\nroots = []").policy.roots == ()


def test_an_administrators_file_that_is_not_trusted_stops_everything(home: Home):
    home.administrator.write_text("", encoding="utf-8")
    home.administrator.chmod(0o666)

    with pytest.raises(SetupError, match=r"policy\.toml"):
        load(home.environ, administrator=home.administrator, owner=os.getuid())


def test_a_file_that_cannot_be_read_is_named(home: Home):
    (home.own / "config.toml").mkdir(parents=True)

    with pytest.raises(SetupError, match=r"config\.toml cannot be read"):
        load(home.environ, administrator=home.administrator)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("policy.mode", "always"),
        ("mode", "always"),
        ("policy.waiting_expires", "24h"),
        ("policy.undo_bytes", "2 GiB"),
        ("policy.roots", ["~/Documents"]),
        ("limits.waiting", 200),
        ("mail.port", None),
        ("journal.url", ""),
    ],
)
def test_a_setting_is_shown_as_it_would_be_written(home: Home, name: str, value: object):
    assert home.load('[policy]\nmode = "always"\nroots = ["~/Documents"]').get(name) == value


def test_roots_that_nobody_wrote_are_shown_as_they_are(home: Home):
    assert home.load().get("policy.roots") == [
        f"{home.person}/{name}" for name in ("Documents", "Downloads", "Desktop")
    ]


def test_two_homes_hold_their_own_settings(tmp_path: Path):
    one, two = Home(tmp_path / "one"), Home(tmp_path / "two")

    assert one.load('[policy]\nmode = "never"').policy.mode == "never"
    assert two.load("").policy.mode == "destructive"


def test_looking_at_settings_loads_nothing_that_only_writing_needs():
    code = "import sys, sayso.config; print(sorted({'tomlkit', 'fcntl', 'tempfile'} & set(sys.modules)))"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "tomlkit" not in run.stdout


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
