"""Make a model that uses Google's Gemini API."""

from httpx2 import AsyncClient
from pydantic_ai.models import Model
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

from sayso.models.vendors import ModelKey, ModelService


def make(service: ModelService, key: ModelKey, client: AsyncClient) -> Model:
    """Return a model that sends its requests through this HTTP client."""
    provider = GoogleProvider(api_key=key.secret, base_url=service.url, http_client=client)
    return GoogleModel(service.named.model, provider=provider)
