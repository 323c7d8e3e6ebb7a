"""What a screen shows is put together with who it belongs to."""

import os

from sayso.providers.apps.geometry import Bounds
from sayso.providers.apps.linux.applications import instance
from sayso.providers.apps.linux.reads import combine_sight, of_window
from sayso.providers.apps.linux.screen import Look, Shown
from sayso.providers.desktop_entries import Installed

AT = Bounds(0, 0, 1, 1)


def test_two_windows_of_one_process_are_one_instance():
    look = Look((Shown("1", ("Pad",), os.getpid(), AT), Shown("2", ("Pad",), os.getpid(), AT)), ())

    sight = combine_sight(look, Installed((), {}))

    assert sight.of("Pad") == (instance(os.getpid()),)
    assert [window.id for window in sight.windows] == ["1", "2"]


def test_windows_of_two_processes_are_two_instances_of_one_application():
    look = Look((Shown("1", ("Pad",), os.getpid(), AT), Shown("2", ("Pad",), os.getppid(), AT)), ())

    sight = combine_sight(look, Installed((), {}))

    assert len(sight.of("Pad")) == 2


def test_a_question_before_a_window_is_no_window_to_place():
    main, question = Shown("1", ("Pad",), None, AT), Shown("2", ("Pad",), None, AT, belongs=True)

    both, alone = (combine_sight(Look(shown, ()), Installed((), {})) for shown in ((question, main), (question,)))

    assert [window.id for window in both.windows] == ["1"]
    assert [window.id for window in both.all_of("Pad")] == ["2", "1"]
    assert [window.id for window in alone.windows] == ["2"]


def test_minimised_windows_come_last():
    look = Look((Shown("1", ("Pad",), None, AT, "minimised"), Shown("2", ("Pad",), None, AT)), ())

    assert [window.id for window in combine_sight(look, Installed((), {})).windows] == ["2", "1"]


def test_a_window_whose_process_nobody_knows_stands_for_itself():
    assert of_window(Shown("7", (), None, AT)) == "window-7"
    assert of_window(Shown("7", (), 2**22 + 1, AT)) == "window-7"
