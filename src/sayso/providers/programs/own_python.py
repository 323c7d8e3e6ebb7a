"""The command with which sayso starts Python, isolated from the folder it starts in and from the environment.

Nothing else in sayso names the interpreter (`tests/test_one_launcher.py`). Python then finds no modules in the working
folder or in the folder of the script, and ignores its environment variables, such as `PYTHONPATH`.
"""

import site
import sys

LOADS_CODE = (
    *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX"),
    *("PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONEXECUTABLE", "PYTHONSAFEPATH", "GCONV_PATH"),
)
"""Variables that make Python or the loader run code from elsewhere; a service of sayso's is started without them."""


def script_command(file: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs a file of sayso's which needs nothing but Python's own library."""
    return (sys.executable, "-I", "-S", file, *words)


def module_command(module: str, *words: str) -> tuple[str, ...]:
    """Return the command that runs a module among the installed packages.

    The user's own folder for packages is searched only if this process searches it too: sayso may be installed there.
    """
    isolated = ("-P", "-E") if site.ENABLE_USER_SITE else ("-I",)
    return (sys.executable, *isolated, "-m", module, *words)
