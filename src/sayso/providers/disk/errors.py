"""Say in a sentence what the operating system said with a number."""

import errno

from sayso.core.errors import ProviderError, Refused, SaysoError

_SAID = {
    errno.ENOSPC: ("disk.full", "the disk is full: make room for “{path}” and try again"),
    errno.EDQUOT: ("disk.full", "your share of the disk is full: make room for “{path}” and try again"),
    errno.EFBIG: ("disk.full", "“{path}” would be larger than the system allows"),
    errno.EIO: ("disk.failed", "the disk reported a fault at “{path}”"),
    errno.EROFS: ("disk.read_only", "the disk that holds “{path}” cannot be written to"),
    errno.EACCES: ("path.not_permitted", "you have no permission for “{path}”"),
    errno.EPERM: ("path.not_permitted", "the system does not permit this for “{path}”"),
    errno.ENOENT: ("path.missing", "“{path}” does not exist"),
    errno.ENOTDIR: ("path.not_a_folder", "something on the way to “{path}” is not a folder"),
    errno.EISDIR: ("path.not_a_file", "“{path}” is a folder"),
    errno.EEXIST: ("world.changed", "“{path}” already exists"),
    errno.ENOTEMPTY: ("world.changed", "“{path}” is not empty"),
    errno.ENAMETOOLONG: ("path.too_long", "the name of “{path}” is too long for this disk"),
    errno.EXDEV: ("disk.other", "“{path}” lies on another disk and cannot be moved in one go; copy it instead"),
    errno.EINVAL: ("disk.unsupported", "the disk that holds “{path}” cannot do this in one go"),
    errno.ENOSYS: ("disk.unsupported", "this system cannot do this in one go for “{path}”"),
    errno.ENOTSUP: ("disk.unsupported", "the disk that holds “{path}” cannot do this in one go"),
    errno.EBUSY: ("path.busy", "“{path}” is in use by the system"),
    errno.EMFILE: ("system.busy", "too many files are open; try “{path}” again"),
    errno.ENFILE: ("system.busy", "too many files are open; try “{path}” again"),
}


def in_words(wrong: OSError, path: str) -> SaysoError:
    """Return the refusal or error that this fault at `path` is."""
    if wrong.errno == errno.ELOOP:
        return changed_on_the_way(path)
    code, sentence = _SAID.get(wrong.errno or 0, ("disk.failed", "the system could not do this for “{path}”"))
    return ProviderError(sentence.format(path=path), code)


def changed_on_the_way(path: str) -> Refused:
    """Return the refusal for a path that no longer leads where it led."""
    return Refused(f"“{path}” no longer leads where it led when it was looked at; nothing was changed", "path.changed")


def changed(path: str, how: str) -> ProviderError:
    """Return the error for a thing that is not as it was when the plan was made."""
    return ProviderError(f"“{path}” has changed since it was looked at: {how}", "world.changed")
