"""The model of a conversation that a test has on the page answers this conversation, not one of an earlier test."""

from sayso.assistant.prompts import DECIDED
from sayso.testing.model_server import Heard, Status, served
from tests.web_env.talking import OwnModel


def asks(words: str) -> Heard:
    return Heard("/v1/chat/completions", {}, {"messages": [{"role": "user", "content": words}]})


def test_what_goes_on_from_an_earlier_conversation_gets_none_of_the_replies():
    with served(OwnModel("Now.", "Then.")) as model:
        told = [model.next_play(asks(words)) for words in (DECIDED, "Buy milk", DECIDED)]

    assert told == [Status(400), "Now.", "Then."]
    assert len(model.heard) == 2
