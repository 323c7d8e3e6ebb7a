"""Describe a standing permission in words: fixed arguments, limits of the others, duration and number of uses."""

from sayso.core.encoding import Json, canonical
from sayso.core.grant import Grant, VariableArgument
from sayso.core.quotes import quoted

MOST = 200


def word_fixed_arguments(grant: Grant) -> list[tuple[str, str]]:
    """Return each fixed argument with its value."""
    return [(name, _short(value)) for name, value in grant.fixed.items()]


def varies_words(varies: VariableArgument, home: str) -> str:
    """Return the limits of a variable argument in words."""
    if varies.within == "folder":
        with_ending = _ending(varies.ending)
        return f"any name {with_ending} directly in {quoted(_tilde(varies.of, home))}"
    if varies.within == "site":
        return f"any address of {varies.of}"
    return "anything"


def _ending(ending: str) -> str:
    if ending.startswith("."):
        hidden = ending.startswith("..") or ending == "."
        rest = ending[1:] if hidden else ending
        words = f"ending in {quoted(rest)}" if rest else "without an ending"
        return f"with a dot in front, {words}," if hidden else words
    return "without an ending"


def reach_words(grant: Grant) -> list[str]:
    """Return in words what else must be the same as in the action from which the permission was made."""
    scope = grant.scope
    served = ", ".join(f"{store} by {name}" for store, name in scope.backends.items())
    words = [f"the same operation in this home, {served}" if served else "the same operation in this home"]
    if scope.apps:
        words.append("only with " + ", ".join(quoted(app) for app in scope.apps))
    if scope.sends:
        words.append("sends nothing but: " + "; ".join(scope.sends))
    kinds = [kind.removeprefix("unchanged ") for kind in scope.kinds if kind.startswith("unchanged ")]
    if kinds:
        words.append(f"what is there is a {' or a '.join(kinds)}, as it was then")
    words.append("it may replace or take away what stands there" if scope.loses else "nothing may be replaced by it")
    return words


def until_words(grant: Grant) -> str:
    """Return in words how long and how many times the permission is valid."""
    if grant.most_uses is None:
        often = ""
    elif grant.most_uses == 1:
        often = ", once"
    else:
        often = f", {grant.most_uses:,} times at most"
    return f"until {grant.expires}{often}"


def word_grant(grant: Grant, home: str) -> str:
    """Return one sentence about what the permission allows; the person sees it before and after they give it."""
    parts = [f"{name} = {value}" for name, value in word_fixed_arguments(grant)]
    parts += [f"{varies.argument} is {varies_words(varies, home)}" for varies in grant.varies]
    where = f" where {', '.join(parts)}" if parts else ""
    return f"{grant.operation} without asking{where}, {until_words(grant)}"


def _short(value: Json) -> str:
    text = canonical(value).decode()
    return text if len(text) <= MOST else f"{text[:MOST]}… ({len(text):,} characters)"


def _tilde(path: str, home: str) -> str:
    return f"~{path[len(home) :]}" if home and (path == home or path.startswith(home + "/")) else path
