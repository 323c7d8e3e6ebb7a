"""The talk provider: chat messages, model calls, log lines, templates and questions."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider
from sayso.core.settings import memory_world
from sayso.providers.index import FACTS, OPERATIONS, STEPS

TALK = Provider(
    store="talk",
    operations=LazySequence(OPERATIONS["talk"]),
    steps=LazySequence(STEPS["talk"]),
    facts=LazySequence(FACTS["talk"]),
    outside=("talk",),
    backends={"here": "sayso.providers.talk.backend:build", "memory": "sayso.providers.talk.memory:build"},
    default="here",
    kinds={"here": "chats, your own actions and questions, kept and answered here"},
    serves="chat, templates and calls of a model",
    settings=(memory_world("talk"),),
)
