"""Make a model that uses Anthropic's messages API."""

from httpx2 import AsyncClient
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from sayso.models.vendors import ModelKey, ModelService


def make(service: ModelService, key: ModelKey, client: AsyncClient) -> Model:
    """Return a model that sends its requests through this HTTP client."""
    provider = AnthropicProvider(api_key=key.secret, base_url=service.url, http_client=client)
    return AnthropicModel(service.named.model, provider=provider)
