"""Mount file systems, and run something in a process for which the kernel answers otherwise."""

import ctypes
import os
import platform
import signal
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

OPENAT2 = 437
FSYNC = {"x86_64": 74, "aarch64": 82}.get(platform.machine(), -1)

_NO_NEW_PRIVILEGES, _SECCOMP, _BY_FILTER = 38, 22, 2
_LOAD, _IS_NOT, _ANSWER = 0x20, 0x15, 0x06
_WITH_ERROR, _AS_EVER = 0x00050000, 0x7FFF0000
_LONGEST = 20


def alone(work: Callable[[], bool]) -> bool:
    """Return what `work` says in a process of its own; whatever it changes there is gone with it."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            signal.alarm(_LONGEST)
            code = 0 if work() else 1
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def refuse(call: int, wrong: int) -> None:
    """Let the kernel answer one of its calls with an error, for this process and as long as it lives."""
    steps = (
        (_LOAD, 0, 0, 0),
        (_IS_NOT, 0, 1, call),
        (_ANSWER, 0, 0, _WITH_ERROR | wrong),
        (_ANSWER, 0, 0, _AS_EVER),
    )
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None, use_errno=True)
    asked = struct.pack("@HP", len(steps), ctypes.addressof(program))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _BY_FILTER, asked, 0, 0):
        raise OSError(ctypes.get_errno(), "this kernel lets nobody refuse its calls")


def has_openat2() -> bool:
    """Ask the kernel itself whether it has the call, and lets us."""
    opened = ctypes.CDLL(None).syscall(OPENAT2, os.open("/", os.O_RDONLY), b".", bytes(24), 24)
    return opened >= 0


def error_of(work: Callable[[], object]) -> int:
    """Return the number of the error that something ends with, 0 for none."""
    try:
        work()
    except OSError as wrong:
        return wrong.errno or -1
    return 0


def mount(*words: str | Path) -> None:
    """Call `mount`; where that is not permitted the test is skipped."""
    done = subprocess.run(["mount", *map(str, words)], check=False, capture_output=True) if os.geteuid() == 0 else None
    if done is None or done.returncode:
        pytest.skip("needs to be root, to mount a file system")
