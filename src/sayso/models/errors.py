"""Explain why a model did not answer, and what the person can do about it.

Some servers repeat the request in their error, including the key, so messages contain a server's codes but never its
text.
"""

import re
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
)

from sayso.core.errors import ProviderError, SaysoError, SetupError
from sayso.models.vendors import ModelKey, ModelService

_CODE = re.compile(r"[a-z][a-z_]{2,40}")
_MINUTE = 60
_TRIES_TO_REACH = 3


class Fault(Struct, frozen=True):
    """Why a model did not answer, and whether it may help to ask again."""

    error: SaysoError
    again: bool = False
    after: float = 0.0
    """Number of seconds that the server asks sayso to wait; 0 if it does not ask this."""
    why: str = ""
    """Why the model is asked again, as a short sentence without an end."""
    tries: int = 5
    """How often it may help to ask at most."""


def fault(wrong: Exception | None, service: ModelService, key: ModelKey, *, begun: bool) -> Fault:
    """Return why a model failed.

    `wrong` is the error of the client library; None if the reply was malformed. `begun` says that part of the reply had
    already arrived.
    """
    if isinstance(wrong, ContentFilterError):
        return Fault(
            ProviderError(f"{service.said} does not answer this: its filter for content refused it", "model.refused")
        )
    found = _of_the_server(wrong, service) or _of_the_account(wrong, service, key) or _of_the_wire(wrong, service)
    if begun:
        return Fault(
            ProviderError(
                f"{service.said} broke off in the middle of its reply ({_short(wrong)}); ask again", "model.cut"
            )
        )
    return found or Fault(_garbage(service))


def too_late(service: ModelService) -> ProviderError:
    """Return the error for a reply that took longer than the total time limit."""
    seconds = describe_duration(service.patience.whole)
    return ProviderError(
        f"{service.said} has not ended its reply within {seconds} ([model] timeout); ask for less", "model.late"
    )


def describe_duration(seconds: float) -> str:
    """Return a duration in words, such as `1 second` or `10 minutes`."""
    if seconds >= 2 * _MINUTE:
        return f"{round(seconds / _MINUTE)} minutes"
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"


def _of_the_server(wrong: Exception | None, service: ModelService) -> Fault | None:
    said = service.said
    match wrong:
        case ModelRateLimitError():
            after = wrong.retry_after or 0.0
            when = f"in {describe_duration(max(1, round(after)))}" if after else "in a minute or so"
            busy = f"{said} takes no more requests from you just now; try again {when}"
            return Fault(ProviderError(busy, "model.busy"), again=True, after=after, why="the model is busy")
        case ModelQuotaExceededError():
            used_up = f"your account at {said} is used up; add to it there, or name another model in [model]"
            return Fault(ProviderError(used_up, "model.quota"))
        case ModelUnavailableError():
            overloaded = f"{said} has too much to do just now; try again in a while"
            after = wrong.retry_after or 0.0
            return Fault(
                ProviderError(overloaded, "model.overloaded"),
                again=True,
                after=after,
                why="the model has too much to do",
            )
        case ModelServerError():
            its_fault = f"{said} has a fault of its own ({_short(wrong)}); try again in a while"
            after = wrong.retry_after or 0.0
            return Fault(
                ProviderError(its_fault, "model.server"), again=True, after=after, why="the model's server has a fault"
            )
        case _:
            return None


def _of_the_account(wrong: Exception | None, service: ModelService, key: ModelKey) -> Fault | None:
    said = service.said
    match wrong:
        case ModelAuthenticationError():
            return Fault(_not_let_in(service, key))
        case ModelNotFoundError():
            return Fault(_not_there(service))
        case ModelContextWindowExceededError():
            too_long = (
                f"this is more than {service.named.full} reads at once; begin a new conversation, or name a model "
                "that reads more"
            )
            return Fault(ProviderError(too_long, "model.too_long"))
        case ModelRequestRejectedError():
            rejected = f"{said} does not take this request ({_short(wrong)}); {_OTHER}"
            return Fault(ProviderError(rejected, "model.rejected"))
        case ModelHTTPError():
            odd = f"{said} answered with {_short(wrong)} instead of a reply; {_OTHER}"
            return Fault(ProviderError(odd, "model.rejected"))
        case _:
            return None


_OTHER = "look at [model] name and url (sayso doctor), or name another model"


def _not_let_in(service: ModelService, key: ModelKey) -> SetupError:
    vendor = service.named.vendor
    if not key.secret:
        return SetupError(
            f"{service.said} wants a key, and none is set; give it one with: sayso config model", "model.key"
        )
    where = f"; keys are made at {vendor.keys_at}" if vendor.keys_at else ""
    return SetupError(
        f"{service.said} does not accept the key from {key.where}, or it may not use {service.named.model}: "
        f"give another one with “sayso config model”{where}",
        "model.key",
    )


def _not_there(service: ModelService) -> SetupError:
    named = service.named
    if named.vendor.name == "ollama":
        return SetupError(
            f"{service.said} does not have {named.model}; get it with: ollama pull {named.model}", "model.unknown"
        )
    url = "" if service.url == named.vendor.url else f", or [model] url ({service.url}) is not where it listens"
    return SetupError(
        f"{service.said} knows no model “{named.model}”{url}; name another one with: "
        f"sayso config set model.name {named.vendor.name}:…",
        "model.unknown",
    )


def _of_the_wire(wrong: Exception | None, service: ModelService) -> Fault | None:
    if not isinstance(wrong, ModelConnectionError):
        return None
    reached = wrong.phase in {"read", "write"}
    if isinstance(wrong, ModelTimeoutError):
        if reached:
            return Fault(_silent(service))
        return Fault(_slow(service), again=True, why="the model does not answer", tries=_TRIES_TO_REACH)
    if reached:
        closed = f"{service.said} closed the connection without a reply; try again"
        return Fault(ProviderError(closed, "model.cut"), again=True, why="the connection was closed")
    known = service.why_not(wrong, urlsplit(service.url).hostname or "")
    why = f": {known}" if known else ""
    hint = "; start it with: ollama serve" if service.named.vendor.name == "ollama" else ""
    at = "" if service.host in service.said else f" at {service.host}"
    # A server on this computer that does not run will not begin to run by itself.
    error = ProviderError(f"{service.said} cannot be reached{at}{why}{hint}", "model.unreachable")
    return Fault(error, again=not service.is_here, why="the model cannot be reached", tries=_TRIES_TO_REACH)


def _silent(service: ModelService) -> ProviderError:
    seconds = describe_duration(service.patience.silent)
    return ProviderError(
        f"{service.said} has said nothing for {seconds} ([model] timeout_silent); try again in a while", "model.silent"
    )


def _slow(service: ModelService) -> ProviderError:
    seconds = describe_duration(service.patience.connect)
    return ProviderError(
        f"{service.said} does not answer within {seconds} ([model] timeout_connect); is this computer online?",
        "model.unreachable",
    )


def _garbage(service: ModelService) -> ProviderError:
    own = service.url == service.named.vendor.url
    hint = "try again" if own else f"is [model] url ({service.url}) its address, with /v1 at the end where it has one?"
    return ProviderError(f"what {service.said} answered is no reply of a model; {hint}", "model.garbage")


def _short(wrong: Exception | None) -> str:
    """Return the status and code of an error, such as `503 server_error`; no text from the server is included."""
    found: list[str] = [str(wrong.status_code)] if isinstance(wrong, ModelHTTPError) else []
    if isinstance(wrong, ModelAPIError):
        codes = (wrong.provider_error_code, wrong.provider_error_type)
        found += [next((code for code in codes if code and _CODE.fullmatch(code)), "")]
    if isinstance(wrong, ModelTimeoutError):
        found = ["it fell silent"]
    return " ".join(word for word in found if word) or "the connection was cut"
