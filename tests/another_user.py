"""Do something as another user of this computer; only root can."""

import os
import traceback
from collections.abc import Callable

NOBODY = 65534


def as_nobody(does: Callable[[], bool]) -> bool:
    """Return what a function says in a process of another user; an error of it is printed, and counts as a no.

    The other user may not enter the folder of this project, so what the function imports or reads there comes before.
    """
    child = os.fork()
    if child == 0:
        code = 2
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            code = 0 if does() else 1
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
