"""Where the steps that only carry a thing take it from and to, in one way of naming places."""

from sayso.providers.files.steps import Keep, Rename, Restore, Trash, Unkeep

Carrying = Rename | Trash | Restore | Keep | Unkeep

KEPT = "kept:"
TRASHED = "trash:"


def way(step: Carrying) -> tuple[str, str]:
    """Return where the thing is and where it goes: a path, `kept:` and a token, or `trash:` and an entry."""
    match step:
        case Rename(source, destination):
            return source, destination
        case Trash(path, entry):
            return path, TRASHED + entry
        case Restore(path, entry):
            return TRASHED + entry, path
        case Keep(path, kept):
            return path, KEPT + kept
        case Unkeep(path, kept):
            return KEPT + kept, path


def about(place: str) -> str:
    """Return how facts name this place: a Trash entry stands for itself."""
    return place.removeprefix(TRASHED)


def place_of(thing: str) -> str:
    """Return the place that a fact is about."""
    return thing if thing.startswith(("/", KEPT)) else TRASHED + thing
