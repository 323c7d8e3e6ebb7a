"""The chat (S1, S2, S3): words as they come, tools that are called, and proposals that wait for their click."""

from sayso.assistant.entry import Entry
from sayso.assistant.prompt import chat
from sayso.dialects.chat import CHAT

ENTRY = Entry("chat", CHAT, chat.system, chat.user, chat.offers, talks=True, calls=True, remembers=True, batch=False)
