"""Scripts are run with osascript: their text is constant, data arrives as data, and every end has its message."""

import ast
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

from sayso.core.errors import ProviderError, SaysoError, SetupError, Uncertain
from sayso.providers.macos import engine as engine_module
from sayso.providers.macos.engine import SCRIPTS, ScriptEngine, ScriptResult, build_engine, script_text
from sayso.providers.programs.run import SECONDS
from sayso.testing.harness import refusal_of
from sayso.testing.macos import SimulatedMac
from tests.mac_env.fixtures import on

BOTH = pytest.mark.parametrize("mac", ["jsc", pytest.param("node", marks=pytest.mark.thorough)], indirect=True)
HOSTILE = (
    "“ü” 🙂\t",
    "a\nb\r\n",
    "\u2028\u2029",
    "\0",
    '" & (do shell script "id") & "',
    "\\",
    "`${1}`",
    "-e",
    "😀" * 9999,
)


@pytest.fixture
def engine(mac: SimulatedMac) -> ScriptEngine:
    """Return the engine of this Mac."""
    return build_engine(on(mac))


@pytest.mark.req("S1-02", "S1-06", "S1-07", "X-07")
async def test_each_language_has_its_argument_vector_and_the_script_is_one_argument(
    mac: SimulatedMac, engine: ScriptEngine
):
    script = 'display dialog "$HOME `id`"\n-- "\\'

    await engine.run_applescript(script)
    await engine.run_jxa(script)

    assert mac.calls == [["osascript", "-e", script], ["osascript", "-l", "JavaScript", "-e", script]]


@pytest.mark.req("S1-06", "S1-08", "S1-09")
async def test_only_the_newlines_at_the_end_of_the_output_are_removed(mac: SimulatedMac, engine: ScriptEngine):
    mac.change(lambda state: state["applescripts"].update({"say": {"output": "a\n\nb\n\n"}}))

    assert await engine.run_applescript("say") == ScriptResult(success=True, output="a\n\nb", error="")


@BOTH
@pytest.mark.req("S1-07", "S1-08", "S1-14")
async def test_a_script_in_javascript_returns_its_value_as_text(engine: ScriptEngine):
    result = await engine.run_jxa("JSON.stringify([{ title: 'ü' }])")

    assert result == ScriptResult(success=True, output='[{"title":"ü"}]')


@BOTH
@pytest.mark.req("S1-08")
async def test_a_script_that_fails_says_why(engine: ScriptEngine):
    result = await engine.run_jxa("function run() { throw new Error('no such thing'); }")

    assert (result.success, "no such thing" in result.error) == (False, True)


@pytest.mark.req("S1-10", "S1-11", "X-13", "AP-05")
async def test_a_script_that_takes_too_long_is_ended_and_said_to_have_timed_out(mac: SimulatedMac):
    mac.change(lambda state: state["applescripts"].update({"wait": {"seconds": 600}}))
    engine = build_engine(on(mac), seconds=0.5)

    result = await engine.run_applescript("wait")

    assert result == ScriptResult(
        success=False, error="the script timed out: it did not end within 0.5 seconds and was stopped"
    )


@pytest.mark.req("S1-12")
async def test_without_osascript_there_is_a_failure_that_says_so(mac: SimulatedMac, engine: ScriptEngine):
    (mac.bin / "osascript").unlink()

    result = await engine.run_jxa("1")
    no = await refusal_of(engine.run_script("clipboard_read", {}, app="the clipboard"))

    assert result == ScriptResult(success=False, error="osascript not found; it is part of macOS")
    assert (type(no), no.code) == (SetupError, "program.missing")


@pytest.mark.req("S1-13")
async def test_any_other_fault_is_a_failure_and_not_an_exception(mac: SimulatedMac, engine: ScriptEngine):
    (mac.bin / "osascript").write_text("#!/no/such/program\n")

    first, second = await engine.run_jxa("1"), await engine.run_applescript("a\0b")

    assert (first.success, "could not be started" in first.error) == (False, True)
    assert (second.success, "NUL" in second.error) == (False, True)


@BOTH
@pytest.mark.req("X-06", "AP-03", "AP-04")
async def test_data_arrives_as_it_is_and_no_part_of_it_is_in_a_script(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "echo", "function main(data) { return data; }")

    for text in HOSTILE:
        assert await engine.run_script("echo", {"text": text, text: 1}, app="nothing") == {"text": text, text: 1}

    constant = [
        "osascript",
        "-l",
        "JavaScript",
        "-e",
        script_text("common"),
        "-e",
        "function main(data) { return data; }",
        "--",
    ]
    assert all(call[: len(constant)] == constant for call in mac.calls)
    assert all(len(call) - len(constant) in {1, 2} for call in mac.calls)


@BOTH
@pytest.mark.req("X-06")
async def test_a_megabyte_arrives_by_a_private_file_that_is_gone_afterwards(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "size", "function main(data) { return data.text.length; }")

    assert await engine.run_script("size", {"text": "ü" * 2**20}, app="nothing") == 2**20

    (call,) = mac.calls
    assert call[-2] == "file"
    assert not Path(call[-1]).exists()


def test_no_script_of_ours_is_more_than_its_file():
    for file in SCRIPTS.glob("*.js"):
        assert script_text(file.stem).encode() == file.read_bytes()


@pytest.mark.req("S1-58")
@pytest.mark.parametrize(
    ("number", "begun", "expected", "says"),
    [
        (-1743, True, (SetupError, "macos.automation"), "Automation, turn Notes on"),
        (-1744, False, (SetupError, "macos.automation"), "has not asked you yet"),
        (-25211, True, (SetupError, "macos.accessibility"), "Accessibility, turn on"),
        (-10004, True, (SetupError, "macos.accessibility"), "Accessibility, turn on"),
        (-1728, False, (ProviderError, "world.changed"), "no longer there"),
        (-1719, False, (ProviderError, "world.changed"), "no longer there"),
        (-600, False, (ProviderError, "macos.not_running"), "open Notes first"),
        (-609, False, (ProviderError, "macos.connection"), "ended while"),
        (-609, True, (Uncertain, "macos.connection"), "part of it may have been done"),
        (-1712, False, (ProviderError, "macos.timeout"), "did not answer in time"),
        (-1712, True, (Uncertain, "macos.timeout"), "part of it may have been done"),
        (-128, False, (ProviderError, "macos.cancelled"), "was cancelled"),
        (-10006, False, (ProviderError, "macos.refused"), "error -10006"),
        (12, True, (SetupError, "macos.page_scripts"), "View > Developer"),
    ],
)
async def test_each_number_says_what_happened_and_what_to_do(
    mac: SimulatedMac,
    number: int,
    begun: bool,
    expected: tuple[type[SaysoError], str],
    says: str,
):
    script = "function main(data) { if (data.begun) changing(); return Application('Notes').version(); }"
    engine = _with_script(mac, "version", script)
    mac.fault("Notes", "number", number=number)

    no = await refusal_of(engine.run_script("version", {"begun": begun}, app="Notes"))

    assert ((type(no), no.code), says in str(no)) == (expected, True), str(no)


@pytest.mark.req("S1-58")
async def test_safari_says_where_its_page_scripts_are_allowed(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "off", "function main() { fail(8, 'You must enable it'); }")

    no = await refusal_of(engine.run_script("off", {}, app="Safari"))

    assert (type(no), no.code) == (SetupError, "macos.page_scripts")
    assert "Allow JavaScript from Apple Events" in str(no)


async def test_an_error_outside_of_main_is_read_from_the_end_of_what_osascript_says(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "bare", "run = () => fail(-1743, 'Nicht erlaubt (12) für Notes');")

    no = await refusal_of(engine.run_script("bare", {}, app="Notes", changes=True))

    assert no.code == "macos.automation"


async def test_a_fault_in_a_script_is_uncertain_where_the_script_may_have_changed_something(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "faulty", "function main() { return nothing.here; }")

    reading = await refusal_of(engine.run_script("faulty", {}, app="Notes"))
    changing = await refusal_of(engine.run_script("faulty", {}, app="Notes", changes=True))

    assert (type(reading), type(changing)) == (ProviderError, Uncertain)


async def test_an_application_that_hangs_is_uncertain_if_something_was_to_change(
    mac: SimulatedMac,
):
    engine = _with_script(mac, "version", "function main() { changing(); return Application('Notes').version(); }", 0.5)
    mac.fault("Notes", "hang", seconds=600)

    reading = await refusal_of(engine.run_script("version", {}, app="Notes"))
    changing = await refusal_of(engine.run_script("version", {}, app="Notes", changes=True))

    assert [(type(no), no.code) for no in (reading, changing)] == [
        (ProviderError, "macos.timeout"),
        (Uncertain, "macos.timeout"),
    ]


def _with_script(mac: SimulatedMac, name: str, script: str, seconds: float = SECONDS) -> ScriptEngine:
    """Return an engine that has one script more."""
    scripts = mac.folder / "scripts"
    scripts.mkdir()
    (scripts / f"{name}.js").write_text(script, encoding="utf-8")
    return build_engine(on(mac), seconds, scripts)


@pytest.mark.req("S1-03")
def test_scripting_applications_needs_no_package_that_sayso_does_not_need_anyway():
    folder = Path(engine_module.__file__).parent
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in folder.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    needed = [one for one in requires("sayso") or () if "extra ==" not in one]

    foreign = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"sayso"}

    assert all(any(one.startswith(name) for one in needed) for name in foreign), foreign
    assert "sayso" in {name.partition(".")[0] for name in names}


LOADED = """
import sys
import sayso, sayso.assembly, sayso.surfaces.cli.app
from sayso.assembly.parts import PROVIDERS
[(list(part.operations), list(part.steps)) for part in PROVIDERS]
print([name for name in sys.modules if name.startswith("sayso") and {"macos", "apple"} & set(name.split("."))])
"""


@pytest.mark.skipif(sys.platform == "darwin", reason="there, they are used")
def test_nothing_of_macos_is_imported_elsewhere():
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
