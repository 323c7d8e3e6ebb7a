"""Ask several models in order until one begins to answer."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from msgspec.structs import replace

from sayso.core.conversation import Chunk, ConversationRequest, Model, ReplyDelayed, ReplyEnd
from sayso.core.errors import ProviderError, SaysoError, SetupError


class Fallback:
    """Answers with the first of its models that begins a reply.

    Once a model has begun a reply, no other model is asked, even if the reply breaks off.
    """

    def __init__(self, models: Sequence[Model]) -> None:
        self._models = tuple(models)
        self.name = self._models[0].name

    async def stream(self, asked: ConversationRequest) -> AsyncGenerator[Chunk]:
        """Yield the reply of the first model that begins one.

        The `ReplyEnd` names this model, and says why the models before it failed. If no model answers, raises one error
        for all models.
        """
        problems: list[SaysoError] = []
        for model in self._models:
            begun = False
            try:
                async with aclosing(model.stream(asked)) as chunks:
                    async for chunk in chunks:
                        begun = begun or not isinstance(chunk, ReplyDelayed)
                        yield self._add_problems(chunk, problems)
            except (SetupError, ProviderError) as problem:
                if begun:
                    raise
                problems.append(problem)
            else:
                return
        raise self._together(problems)

    def _add_problems(self, chunk: Chunk, problems: Sequence[SaysoError]) -> Chunk:
        if isinstance(chunk, ReplyEnd) and problems:
            return replace(chunk, instead=(*map(str, problems), *chunk.instead))
        return chunk

    def _together(self, problems: Sequence[SaysoError]) -> SaysoError:
        """Return one error with the messages of all models; its class and code are those of the first model's error."""
        first, *others = problems
        names = [model.name for model in self._models[1:]]
        told = "; ".join(f"{name}: {problem}" for name, problem in zip(names, others, strict=True))
        sentence = f"{first}; the models of [model] fallback did not answer either ({told})"
        kind = SetupError if isinstance(first, SetupError) else ProviderError
        return kind(sentence, first.code)
