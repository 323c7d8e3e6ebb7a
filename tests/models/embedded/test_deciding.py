"""What is sure is done, what is near to something else is asked, and what is not there is said."""

from sayso.models.embedded.deciding import Act, Ask, decided
from sayso.models.embedded.intents import Intent, Pattern
from sayso.models.embedded.patterns import parsed
from sayso.models.embedded.readings import Choice, Missing, Several
from sayso.models.embedded.understanding import Meant


def meant(
    means: str, sureness: float, free: int = 0, doubt: Several | Missing | None = None, **arguments: str
) -> Meant:
    says = f"do [the] {means} {{x:task}}"
    pattern = Pattern(says, parsed(says), None)
    return Meant(Intent(means, (pattern,)), arguments, sureness, free, doubt, said=arguments)


def test_one_meaning_is_done():
    found = decided([meant("a", 1.0, x="1"), meant("a", 0.9, x="1"), meant("b", 0.8)])

    assert found is not None
    assert found.what == Act("a", {"x": "1"})


def test_two_meanings_that_are_near_are_asked_about():
    found = decided([meant("a", 1.0, x="1"), meant("b", 0.95, x="2")])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert "do a the task “1” or do b the task “2”" in found.what.why
    assert found.what.about == ("a", "b")


def test_of_one_operation_the_meaning_that_takes_fewest_words_as_they_are_counts():
    found = decided([meant("a", 1.0, 5, x="call Ana at six"), meant("a", 1.0, 2, x="call Ana", due="18:00")])

    assert found is not None
    assert found.what == Act("a", {"x": "call Ana", "due": "18:00"})


def test_choices_are_told():
    found = decided([meant("a", 1.0, 0, Several("Which?", (Choice("“x”", 1), Choice("“y”", 2))))])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert found.what.why == "Which? There are “x” or “y”."


def test_what_is_not_there_is_said_unless_something_else_is_meant():
    gone = meant("a", 1.0, 0, Missing("No a."))

    alone, beside, certain = (
        decided(each)
        for each in (
            [gone],
            [gone, meant("b", 0.8)],
            [meant("a", 1.0, 0, Missing("Past.", sure=True)), meant("b", 0.8)],
        )
    )

    assert alone is not None
    assert isinstance(alone.what, Ask)
    assert alone.what.why == "No a."
    assert beside is not None
    assert beside.what == Act("b", {})
    assert certain is not None
    assert isinstance(certain.what, Ask)


def test_nothing_is_decided_about_nothing():
    assert decided([]) is None
    assert decided([meant("a", 0.1)]) is None


def test_what_the_same_words_name_none_of_is_said_once():
    missing = [
        meant(one, 1.0, 0, Missing(f"No {one} here is called {said}.", what=one, said=said))
        for one, said in (("task", "“the report”"), ("habit", "“report”"), ("file", "“report”"))
    ]
    other = meant("tab", 1.0, 0, Missing("No tab is on “example.org”."))

    found = decided([*missing, other])

    assert found is not None
    assert isinstance(found.what, Ask)
    assert found.what.why == "No task, habit or file here is called “report”. No tab is on “example.org”."
