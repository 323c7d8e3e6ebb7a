"""Ask a hosted or local model through the client library, and yield its reply as it comes."""

from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, aclosing
from typing import TypeVar

import anyio
from httpx2 import HTTPError, Timeout
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model as LibraryModel
from pydantic_ai.models import create_async_httpx2_client
from pydantic_ai.settings import ModelSettings

from sayso.core.loading import load
from sayso.core.model import Asked, Chunk
from sayso.models.faults import Fault, fault, too_late
from sayso.models.messages import messages, parameters
from sayso.models.reply import Broke, Reply
from sayso.models.service import Key, Service

T = TypeVar("T")
_FORESEEN = (AgentRunError, HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""What the client library raises over a server's answers; the last four over those that nobody foresaw."""
_ONCE = ModelSettings(max_retries=0)
"""The library asks once; whether to ask again is decided here."""


class _Time:
    """The time that one reply may take, of which only waiting for the model is taken."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.left = service.patience.whole

    async def spent(self, waiting: Awaitable[T]) -> T:
        """Wait for something within the time that is left. Raises `ProviderError` at its end, and `Broke`."""
        began = anyio.current_time()
        try:
            with anyio.fail_after(max(self.left, 0)):
                return await waiting
        except TimeoutError:
            raise too_late(self._service) from None
        except _FORESEEN as wrong:
            raise Broke(wrong) from None
        finally:
            self.left -= anyio.current_time() - began


class Hosted:
    """A model behind an address. Each reply has a connection of its own, which closes with it."""

    def __init__(self, service: Service) -> None:
        self.name = service.named.full
        self._service = service

    async def stream(self, asked: Asked) -> AsyncGenerator[Chunk]:
        """Yield the reply; until it begins, it is asked for again where that may help."""
        key = await self._service.key()
        patience = self._service.patience
        time = _Time(self._service)
        pause = patience.pause
        for tries in range(1, patience.tries + 1):
            begun = False
            try:
                async with aclosing(self._once(asked, key, time)) as chunks:
                    async for chunk in chunks:
                        begun = True
                        yield chunk
            except Broke as broke:
                found = fault(broke.wrong, self._service, key, begun=begun)
            else:
                return
            wait = max(pause, found.after)
            if begun or tries == patience.tries or not self._may_wait(found, wait, time):
                raise found.error
            await time.spent(anyio.sleep(wait))
            pause *= 2

    def _may_wait(self, found: Fault, wait: float, time: _Time) -> bool:
        return found.again and wait < time.left and found.after <= self._service.patience.longest_pause

    async def _once(self, asked: Asked, key: Key, time: _Time) -> AsyncGenerator[Chunk]:
        """Yield the reply of one try. Raises `Broke`."""
        service = self._service
        reply = Reply(self.name, service.said, service.reply_bytes)
        connect = service.patience.connect
        # Four equal limits would be taken for limits that nobody set.
        limits = Timeout(service.patience.silent, connect=connect, pool=connect + 1)
        # No redirect is followed: neither the key nor the person's words are meant for where it leads.
        async with create_async_httpx2_client(timeout=limits) as client, AsyncExitStack() as stack:
            model: LibraryModel = load(service.named.vendor.made_by)(service, key, client)
            asking = model_request_stream(
                model,
                messages(asked),
                model_settings=_ONCE,
                model_request_parameters=parameters(asked),
                instrument=False,
            )
            heard = await time.spent(stack.enter_async_context(asking))
            events = aiter(heard)
            while (event := await time.spent(anext(events, None))) is not None:
                for said in reply.heard(event):
                    yield said
            for chunk in reply.end(heard):
                yield chunk
