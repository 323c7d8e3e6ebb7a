"""Make a model that uses OpenAI's chat completions API: from OpenAI itself, or from any server that offers this API."""

from httpx2 import AsyncClient
from pydantic_ai.models import Model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from sayso.models.vendors import ModelKey, ModelService

_NO_KEY = "none"
"""Sent instead of a key if none is needed; without it, the library would take a key from the environment."""
_PROFILE = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
"""Requires a finish reason at the end of a streamed reply; a reply without one is treated as broken off."""


def make_openai(service: ModelService, key: ModelKey, client: AsyncClient) -> Model:
    """Return a model of OpenAI that sends its requests through this HTTP client."""
    provider = OpenAIProvider(api_key=key.secret, base_url=service.url, http_client=client)
    return OpenAIChatModel(service.named.model, provider=provider, profile=_PROFILE)


def make_ollama(service: ModelService, key: ModelKey, client: AsyncClient) -> Model:
    """Return a model of Ollama that sends its requests through this HTTP client."""
    provider = OllamaProvider(api_key=key.secret or _NO_KEY, base_url=service.url, http_client=client)
    return OllamaModel(service.named.model, provider=provider, profile=_PROFILE)


def make_compatible(service: ModelService, key: ModelKey, client: AsyncClient) -> Model:
    """Return a model of any server with OpenAI's chat completions API; requests are sent through this HTTP client."""
    provider = OpenAICompatibleProvider(
        service.named.vendor.name, api_key=key.secret or _NO_KEY, base_url=service.url, http_client=client
    )
    return OpenAIChatModel(service.named.model, provider=provider, profile=_PROFILE)
