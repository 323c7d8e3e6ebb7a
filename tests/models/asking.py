"""Ask a played server through the real client library, in the formats that it speaks."""

from typing import Any

from msgspec.structs import replace

from sayso.assembly.parts import dialect
from sayso.core.conversation import (
    Chunk,
    ConversationRequest,
    Message,
    Model,
    ReplyDelayed,
    ReplyEnd,
    ReplyText,
    ToolCall,
    ToolOffer,
)
from sayso.core.errors import SaysoError
from sayso.models.client import Hosted
from sayso.models.vendors import ModelKey, ModelService, Patience, find_model
from sayso.testing.model_server import ModelServer

MARK = "0123456789"
SECRET = f"sk-very-private-{MARK}"
FORMATS = ("openai-compatible:any", "anthropic:claude-any")
READ = ToolOffer("file_read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
HURRIED = Patience(connect=5, silent=5, whole=10, pause=0.001, longest_pause=0.05)


def wish(*turns: Message, tools: tuple[ToolOffer, ...] = ()) -> ConversationRequest:
    """Return a conversation; without turns, one short question."""
    return ConversationRequest(
        "Be brief.", turns or (Message("user", "what is there?"),), "what is there?", dialect("tools"), tools
    )


def service(server: ModelServer, name: str = FORMATS[0], **fields: Any) -> ModelService:
    """Return a service that is played; what waits in it is hurried."""

    async def key() -> ModelKey:
        return ModelKey(SECRET, "the test")

    url = server.root if name.startswith(("anthropic", "gemini")) else server.url
    return replace(ModelService(find_model(name), url, key, patience=HURRIED), **fields)


def hosted(server: ModelServer, name: str = FORMATS[0], **fields: Any) -> Hosted:
    """Return a model that is played."""
    return Hosted(service(server, name, **fields))


async def heard(model: Model, asked: ConversationRequest | None = None) -> tuple[list[Chunk], SaysoError | None]:
    """Return the chunks that came, and the error that they ended with."""
    came: list[Chunk] = []
    try:
        async for chunk in model.stream(asked or wish()):
            came += [chunk]
    except SaysoError as problem:
        return came, problem
    return came, None


async def problem_of(model: Model) -> SaysoError:
    """Return the error of a model that says nothing else."""
    came, problem = await heard(model)
    came = [chunk for chunk in came if not isinstance(chunk, ReplyDelayed)]
    assert (came, problem is not None) == ([], True), (came, problem)
    assert problem is not None
    assert SECRET not in f"{problem!r} {problem.__cause__!r} {problem.__context__!r}"
    return problem


def text_of(chunks: list[Chunk]) -> str:
    """Return the text that came."""
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, ReplyText))


def calls_of(chunks: list[Chunk]) -> list[ToolCall]:
    """Return the calls that came."""
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def end_of(chunks: list[Chunk]) -> ReplyEnd:
    """Return the end, which is the last chunk and the only end."""
    ends = [chunk for chunk in chunks if isinstance(chunk, ReplyEnd)]
    assert ends == chunks[-1:], chunks
    return ends[0]
