"""Every entry of the table can be read, fits its operation, and means it when it is said."""

import re
from collections.abc import Iterator

from sayso.assembly.parts import PROVIDERS
from sayso.models.embedded.filling import WORKED_OUT, slots_in
from sayso.models.embedded.intents import Intent, Pattern, intents
from sayso.models.embedded.patterns import Slot, slots_of
from sayso.models.embedded.slots import KINDS
from sayso.runtime.catalogue import catalogue

OPERATIONS = catalogue(PROVIDERS)


def patterns() -> Iterator[tuple[Intent, Pattern, tuple[Slot, ...]]]:
    for intent in intents():
        for pattern in intent.patterns:
            yield intent, pattern, tuple(slots_of(pattern.parts))


def test_every_entry_means_an_operation_and_names_its_arguments():
    wrong = [
        (intent.means, name)
        for intent in intents()
        for name in intent.arguments
        if name not in {parameter.name for parameter in OPERATIONS[intent.means].parameters}
    ]

    assert wrong == []


def test_every_entry_that_acts_gives_all_that_its_operation_needs():
    wrong = [
        (intent.means, parameter.name)
        for intent in intents()
        if not intent.ask
        for parameter in OPERATIONS[intent.means].parameters
        if parameter.required and parameter.name not in intent.arguments
    ]

    assert wrong == []


def test_every_pattern_has_the_slots_that_its_arguments_are_made_of():
    wrong = [
        (pattern.written, slot)
        for intent, pattern, slots in patterns()
        for template in intent.arguments.values()
        for slot in slots_in(template) - {slot.name for slot in slots}
    ]

    assert wrong == []


def test_every_slot_is_of_a_kind_there_is_and_stands_once_in_what_is_said():
    assert [slot for _, _, slots in patterns() for slot in slots if slot.kind not in KINDS] == []
    assert [
        pattern.written for _, pattern, slots in patterns() if len({slot.name for slot in slots}) < len(slots)
    ] == []


def test_what_is_worked_out_is_known():
    named = [
        template[1:]
        for intent in intents()
        for template in intent.arguments.values()
        if isinstance(template, str) and template.startswith("@")
    ]

    assert set(named) <= set(WORKED_OUT)


def test_words_of_patterns_are_folded():
    assert [pattern.written for _, pattern, _ in patterns() if re.search(r"[A-Z’“”]", pattern.written)] == []


def test_the_table_is_read_once_and_nothing_in_it_is_surer_than_sure():
    assert all(0 < intent.sure <= 1 for intent in intents())
    assert intents() is intents()


def test_what_destroys_without_always_asking_takes_only_whole_names():
    loose = [
        intent.means
        for intent in intents()
        if OPERATIONS[intent.means].kind == "destructive"
        and OPERATIONS[intent.means].asks not in {"click", "floor"}
        and not intent.whole
    ]

    assert loose == []
