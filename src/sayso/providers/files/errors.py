"""The errors of the files store: one function for each message, with its stable code."""

from sayso.core.errors import ProviderError, Refused
from sayso.core.quotes import quoted


def missing(path: str) -> ProviderError:
    """Return the error for a path where nothing exists."""
    return ProviderError(f"{quoted(path)} is not there", "path.missing")


def path_taken_error(path: str) -> ProviderError:
    """Return the error for a new path that already exists (T-22)."""
    return ProviderError(f"{quoted(path)} is taken; what is there is never overwritten or added to", "path.taken")


def no_folder(path: str, folder: str) -> ProviderError:
    """Return the error for a path in a folder that does not exist (T-19, T-20)."""
    return ProviderError(
        (
            f"{quoted(path)} would be in a folder that does not exist; make "
            f"{quoted(folder)} first (CREATE_FOLDER, file.mkdir)"
        ),
        "path.no_folder",
    )


def not_a_folder(path: str) -> ProviderError:
    """Return the error for a path that is not a folder."""
    return ProviderError(f"{quoted(path)} is not a folder", "path.not_a_folder")


def not_a_file(path: str) -> ProviderError:
    """Return the error for a path that is a folder instead of a file."""
    return ProviderError(f"{quoted(path)} is a folder, not a file", "path.not_a_file")


def link_circle(path: str) -> ProviderError:
    """Return the error for links that lead to each other without end."""
    return ProviderError(f"{quoted(path)} leads in a circle of links", "path.circle")


def inside_itself(source: str, destination: str) -> ProviderError:
    """Return the error for putting a folder into itself."""
    return ProviderError(f"{quoted(destination)} lies inside {quoted(source)} and cannot hold it", "path.inside_itself")


def path_changed_error(path: str, how: str = "") -> ProviderError:
    """Return the error for a path that has changed since the plan was made; `how` says what changed."""
    what = f"has changed since it was looked at{': ' + how if how else ''}"
    return ProviderError(f"{quoted(path)} {what}; nothing was done to it", "world.changed")


def not_yet(path: str) -> ProviderError:
    """Return the error for a path that cannot be read yet, because an earlier step of the batch brings it back."""
    return ProviderError(
        f"{quoted(path)} is brought back by an earlier step and can be looked at only after it", "path.not_yet"
    )


def two_places(path: str) -> Refused:
    """Return the refusal of a path that a link before a `..` makes ambiguous."""
    return Refused(
        f"{quoted(path)} goes back with “..” after a link, and could mean two places; write it without “..”",
        "path.form",
    )


def dangling(path: str) -> Refused:
    """Return the refusal of a path with a link to nothing (FS-03)."""
    return Refused(f"{quoted(path)} leads through a broken link; nothing is made through it", "path.dangling")


def is_root(path: str) -> Refused:
    """Return the refusal of a path that is a root, or holds one (T-21)."""
    return Refused(f"{quoted(path)} is a folder that must stay where it is", "path.is_root", "roots")


def outside(path: str) -> Refused:
    """Return the refusal of a path that is, or leads, outside the roots (S0-77)."""
    return Refused(f"{quoted(path)} is outside the folders that file actions may reach", "path.outside_roots", "roots")


def own(path: str) -> Refused:
    """Return the refusal of a path that is sayso's own folder, or holds it."""
    return Refused(
        f"{quoted(path)} is, or holds, sayso's own folder, which no action may reach", "path.own_home", "own"
    )


def denied_place(path: str, place: str) -> Refused:
    """Return the refusal of a path that is another name of a protected place."""
    return Refused(
        f"{quoted(path)} is another name of {quoted(place)}, which no action may touch",
        "path.denied_place",
        "denied_names",
    )


def too_many_names(path: str, most: int) -> Refused:
    """Return the refusal of a folder with too many names to check whether any of them is protected."""
    return Refused(
        f"{quoted(path)} would hold more than {most:,} things, too many to "
        "check each for protected names; choose a new "
        "name under which nothing is protected",
        "path.denied_name",
        "denied_names",
    )


def too_large(most: int) -> ProviderError:
    """Return the error for a batch that would touch more files than can be planned at once."""
    return ProviderError(
        f"the actions before this one would make or touch more than {most:,} files and folders, too many to plan"
        " in one go; do it in smaller parts",
        "plan.too_large",
    )


def too_deep(path: str) -> ProviderError:
    """Return the error for a batch that would nest new folders too deeply."""
    return ProviderError(
        f"{quoted(path)} holds too many new folders nested in one another to plan with; do it once they are there",
        "plan.too_large",
    )


def name_denied_error(path: str, name: str) -> Refused:
    """Return the refusal of a path with a protected name."""
    return Refused(
        f"{quoted(path)} holds the name {quoted(name)}, which no action may touch", "path.denied_name", "denied_names"
    )
