"""Chat, model, log, templates and questions, as the rest of the house sees them."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

TALK = Provider(
    store="talk",
    operations=LazySequence(
        {
            "sayso.providers.talk.operations:OPERATIONS": (
                "chat.add_message agent.call log.write system.query template.list template.run"
            ),
        }
    ),
    steps=LazySequence({"sayso.providers.talk.model:STEPS": "chat.add_message agent.call log.write template.run"}),
    facts=LazySequence({"sayso.providers.talk.model:FACTS": "talk_said talk_answered talk_ran"}),
    backends={"here": "sayso.providers.talk.backend:build", "memory": "sayso.providers.talk.memory:build"},
    default="here",
    kinds={"here": "questions, answered from what is known here"},
)
