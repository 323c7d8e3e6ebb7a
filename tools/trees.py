"""Read Python source as a tree."""

import ast
import gc


def parsed(source: str) -> ast.Module:
    """Return the tree of a source.

    CPython 3.11 before 3.11.8 counts the depth wrongly, and raises `SystemError`, when the collector runs other
    code of its own in the middle (gh-106905); then it is read once more, with the collector at rest.
    """
    try:
        return ast.parse(source)
    except SystemError:
        gc.disable()
        try:
            return ast.parse(source)
        finally:
            gc.enable()
