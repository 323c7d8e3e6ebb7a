"""The context of a conversation is searched as values, whatever stands in it."""

from hypothesis import given
from hypothesis import strategies as st

from sayso.core.conversation import ContextPiece, ModelContext
from sayso.core.encoding import Json
from sayso.models.builtin.world import (
    ContextEvent,
    ContextFile,
    ContextMonitor,
    ContextTab,
    ContextWindow,
    ContextWorld,
    world_of,
)
from tests.models.builtin.scenes import context


def test_every_piece_is_known_by_its_name():
    world = world_of(context())

    assert world.tabs[0] == ContextTab(
        1, "r/gardening", "https://www.reddit.com/r/gardening", "reddit.com", active=True
    )
    assert world.apps == ("Firefox", "Signal", "Microsoft Word", "GIMP", "Visual Studio Code")
    assert world.monitors[1] == ContextMonitor("DP-2", ("right",), 1920, 0, 1280, 1024)
    assert world.windows == (ContextWindow("Signal", (2000, 10, 2600, 700)),)
    assert (world.presets, world.habits) == (("writing",), ("Stretch",))
    assert (world.tasks[0], world.completed) == ("Water the ferns", ("Book the ferry",))
    assert world.files[0] == ContextFile("plan.odt", "/home/mo/Documents/plan.odt")
    assert world.events[0] == ContextEvent("e-1", "Dentist", "2026-03-04 15:00")
    assert world.files[-1] == ContextFile("greenhouse", "/home/mo/Documents/greenhouse", is_folder=True)


def test_an_empty_context_is_an_empty_world():
    assert world_of(ModelContext(())) == ContextWorld()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["index", "text", "path", "x"]), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["tabs", "tasks", "monitors", "running_apps", "recent_files", "windows"]), JSON))
def test_whatever_stands_in_a_context_is_read_without_a_fault(data: dict[str, Json]):
    world_of(ModelContext(tuple(ContextPiece(name, "", value) for name, value in data.items())))
