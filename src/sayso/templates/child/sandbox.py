"""Give up for good all access that a handler must not have, and prove it: files, programs, connections, signals."""

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from collections.abc import Callable
from typing import Any

MOST_OPEN = 64
CPU_SECONDS = 300
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_LISTENS_AND_CONNECTS, _SCOPES = 0b11, 0b11
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_FILE_RIGHTS = 16
_NET_SINCE, _SCOPED_SINCE = 4, 6

_WRITES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
           "os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move", "shutil.copyfile",
           "tempfile.mkstemp")  # fmt: skip
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
           "pty.spawn", "os.startfile")  # fmt: skip
_CONNECTS = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
             "socket.sendmsg")  # fmt: skip
_SIGNALS = ("os.kill", "os.killpg", "signal.pthread_kill")
REFUSED = {
    **dict.fromkeys(_WRITES, "change files"),
    **dict.fromkeys(_STARTS, "start a program"),
    **dict.fromkeys(_CONNECTS, "open a connection"),
    **dict.fromkeys(_SIGNALS, "signal a process"),
    "resource.prlimit": "bound a process",
    "ctypes.dlopen": "load a library",
    "ctypes.call_function": "call the system itself",
    "sys.addaudithook": "listen to Python itself",
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# The system calls that the kernel lets a handler make, with their numbers on x86_64 and aarch64; all others fail.
# They read what is open, use memory of this process, look at files and clocks, wait, and end.
_ALLOWED_CALLS = """
read:0:63 fstat:5:80 stat:4: lstat:6: newfstatat:262:79 lseek:8:62 close:3:57 pread64:17:67 mmap:9:222 munmap:11:215
mprotect:10:226 mremap:25:216 madvise:28:233 brk:12:214 rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139
sigaltstack:131:132 futex:202:98 getrandom:318:278 getdents64:217:61 getcwd:79:17 uname:63:160 sysinfo:99:179
getpid:39:172 gettid:186:178 getppid:110:173 getuid:102:174 geteuid:107:175 getgid:104:176 getegid:108:177
gettimeofday:96:169 time:201: times:100:153 getrusage:98:165 getrlimit:97:163 clock_gettime:228:113
clock_getres:229:114 clock_nanosleep:230:115 nanosleep:35:101 restart_syscall:219:128 sched_yield:24:124 getcpu:309:168
poll:7: ppoll:271:73 select:23: pselect6:270:72 epoll_create1:291:20 epoll_ctl:233:21 epoll_wait:232: epoll_pwait:281:22
exit:60:93 exit_group:231:94
"""
_WRITE, _OPEN, _OPENAT, _FCNTL, _IOCTL = (1, 64), (2, None), (257, 56), (72, 25), (16, 29)
_SCHED_GETAFFINITY, _PRLIMIT = (204, 123), (302, 261)
_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""By machine: its number in the kernel, and the column with its numbers of system calls."""
_TRIED_INSTEAD = ((435, 435), (332, 291))
"""`clone3` and `statx`: Python tries an older call if the kernel says that it does not have them."""
_OPENS = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_DUPLICATE, _GET_FLAGS, _SET_FLAGS, _GET_STATUS, _DUPLICATE_CLOEXEC = 0, 1, 2, 3, 1030
_KEEP_OPEN, _CLOSE_ON_EXEC = 0x5450, 0x5451
_SET_OWNER, _SET_SIGNAL, _SET_OWNER_EX, _SET_LEASE, _NOTIFY = 8, 10, 15, 1024, 1026
_X32 = 0x40000000
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ARCHITECTURE, _NUMBER, _ARGUMENTS = 4, 0, 16

OPEN, CONNECT, SIGNAL, START = "open files", "open connections", "signal processes", "start programs"
NO_LANDLOCK = "this computer has no Landlock (Linux 5.13 or newer, with “landlock” among its security modules)"
NO_SECCOMP = "this computer has no seccomp filters (Linux on x86_64 or aarch64)"
NOT_REFUSED = "the kernel lets it happen, although it should refuse it"
NOT_LINUX = "only Linux can keep a handler from it"


def confine(memory: int, reading: int, writing: int) -> list[str]:
    """Limit this process for good, then try what a handler must not do.

    `reading` and `writing` are the descriptors of the pipes to sayso; nothing else than `writing`, 1 and 2 can be
    written to afterwards. Returns what a handler could still do and why; empty if the kernel refuses all of it.
    """
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NOFILE, MOST_OPEN),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, CPU_SECONDS),
    ):
        bound = resource.getrlimit(what)[1]
        least = most if bound == resource.RLIM_INFINITY else min(most, bound)
        try:
            resource.setrlimit(what, (least, least))
        except (ValueError, OSError):
            if sys.platform == "linux":
                raise  # macOS does not take a limit of memory below what is in use; there, no handler is contained
    if sys.platform != "linux":
        return [f"{what} ({NOT_LINUX})" for what in (OPEN, CONNECT, SIGNAL, START)]
    libc: Any = ctypes.CDLL(None, use_errno=True)
    closed = libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    disk = closed and close_the_disk(libc)
    calls = closed and close_the_calls(libc, writing)
    of_calls = NOT_REFUSED if calls else NO_SECCOMP
    why = {OPEN: of_calls if disk else NO_LANDLOCK} | dict.fromkeys((CONNECT, SIGNAL, START), of_calls)
    found = possible(libc, reading)
    if not disk:
        found.setdefault(OPEN)
    if not calls:
        found |= dict.fromkeys((CONNECT, SIGNAL, START))
    return [f"{what} ({why[what]})" for what in found]


def readable() -> tuple[str, ...]:
    """Return the paths that Python itself needs to read: its modules, shared libraries and time zones."""
    own = os.path.realpath(os.path.dirname(os.__file__))
    return (own, "/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom")


def close_the_disk(libc: Any) -> bool:
    """Let the kernel refuse to open all files except the readable ones (Landlock); return whether it does."""
    version = libc.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
    net = _LISTENS_AND_CONNECTS if version >= _NET_SINCE else 0
    scoped = _SCOPES if version >= _SCOPED_SINCE else 0
    attributes = struct.pack("=QQQ", rights, net, scoped)
    size = 24 if version >= _SCOPED_SINCE else 16 if version >= _NET_SINCE else 8
    rules = libc.syscall(_CREATE, attributes, size, 0)
    if rules < 0:
        return False
    for place in readable():
        try:
            held = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what cannot be opened is not allowed either
        allowed = _READ_FILE | _READ_FOLDER if os.path.isdir(place) else _READ_FILE
        added = libc.syscall(_ADD, rules, 1, struct.pack("=Qi", allowed, held), 0) == 0
        os.close(held)
        if not added:
            return False
    restricted = libc.syscall(_RESTRICT, rules, 0) == 0
    os.close(rules)
    return restricted


def close_the_calls(libc: Any, writing: int) -> bool:
    """Let the kernel refuse all system calls except the allowed ones (seccomp); return whether it does."""
    rules = filter_rules(platform.machine(), writing)
    kept = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
    program = struct.pack("@HxxxxxxP", len(rules), ctypes.addressof(kept))
    return bool(rules) and libc.prctl(_SECCOMP, _FILTER, program, 0, 0) == 0


Rule = tuple[int, int, int, int]


def filter_rules(machine: str, writing: int) -> list[Rule]:
    """Return the instructions of the seccomp filter for a machine; empty if its system calls are not known here."""
    if machine not in _MACHINES:
        return []
    number, column = _MACHINES[machine]
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL | errno.EPERM)
    # Another architecture, and x32, have other numbers for their calls.
    rules: list[Rule] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, number), (_RETURN, 0, 0, _KILL)]
    rules += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    plain = [row.split(":")[column + 1] for row in _ALLOWED_CALLS.split()]
    for call in (int(one) for one in plain if one):
        rules += [(_EQUAL, 0, 1, call), allow]
    for call in _TRIED_INSTEAD:
        rules += [(_EQUAL, 0, 1, call[column]), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)]
    fcntl = (_DUPLICATE, _GET_FLAGS, _SET_FLAGS, _GET_STATUS, _DUPLICATE_CLOEXEC)
    no_terminal = (_RETURN, 0, 0, _FAIL | errno.ENOTTY)
    checked = [
        (_WRITE, [*one_of(0, (1, 2, writing)), refuse]),
        (_OPEN, [*without(1, _OPENS), refuse]),
        (_OPENAT, [*without(2, _OPENS), refuse]),
        (_FCNTL, [*one_of(1, fcntl), refuse]),
        (_IOCTL, [*one_of(1, (_KEEP_OPEN, _CLOSE_ON_EXEC)), no_terminal]),
        (_SCHED_GETAFFINITY, [*one_of(0, (0,)), refuse]),
        # Limits can only be read, and only those of this process: the pointer to new ones is null in both halves.
        (_PRLIMIT, [*is_null(0, 0), *is_null(2, 0), *is_null(2, 4), allow]),
    ]
    for call, inner in checked:
        if (known := call[column]) is not None:
            rules += [(_EQUAL, 0, len(inner), known), *inner]
    return [*rules, refuse]


def one_of(argument: int, values: tuple[int, ...]) -> list[Rule]:
    """Return the instructions that allow a call if the low half of an argument is one of these."""
    load = (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)
    return [load, *(rule for one in values for rule in ((_EQUAL, 0, 1, one), (_RETURN, 0, 0, _ALLOW)))]


def without(argument: int, flags: int) -> list[Rule]:
    """Return the instructions that allow a call if an argument has no other flags than these."""
    others = ~flags & 0xFFFFFFFF
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_ANY_BIT, 1, 0, others), (_RETURN, 0, 0, _ALLOW)]


def is_null(argument: int, half: int) -> list[Rule]:
    """Return the instructions that refuse a call unless half of an argument is zero."""
    load = (_LOAD, 0, 0, _ARGUMENTS + 8 * argument + half)
    return [load, (_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _FAIL | errno.EPERM)]


def possible(libc: Any, reading: int) -> dict[str, None]:
    """Try everything that the kernel must refuse; return what it let happen, or refused for another reason.

    Each try is harmless where it is not refused: it opens and closes, signals nothing, or has arguments that are wrong.
    """
    me, null = os.getpid(), os.O_WRONLY
    number = dict.fromkeys(("clone", "execve", "io_uring_setup"), -1)
    if (known := _MACHINES.get(platform.machine())) is not None:
        number = {"clone": (56, 220)[known[1]], "execve": (59, 221)[known[1]], "io_uring_setup": 425}
    share_signals_only = 0x800
    tries: list[tuple[str, tuple[int, ...], Callable[[], int]]] = [
        *((OPEN, (errno.EACCES, errno.ENOENT), lambda at=at: opened(at, os.O_RDONLY)) for at in
          (b"/", b"/etc/passwd", b"/proc/self/environ")),
        (OPEN, (errno.EPERM,), lambda: opened(b"/dev/null", null)),
        *((CONNECT, (errno.EPERM,), lambda family=family: closed(libc.socket(family, 2, 0))) for family in
          (1, 2, 10, 16)),
        (CONNECT, (errno.EPERM,), lambda: libc.syscall(number["io_uring_setup"], 0, None)),
        (SIGNAL, (errno.EPERM,), lambda: libc.kill(me, 0)),
        *((SIGNAL, (errno.EPERM,), lambda command=command: libc.fcntl(reading, command, None)) for command in
          (_SET_OWNER, _SET_OWNER_EX, _SET_SIGNAL, _NOTIFY, _SET_LEASE)),
        (START, (errno.EPERM,), lambda: libc.syscall(number["clone"], share_signals_only, 0, 0, 0, 0)),
        (START, (errno.EPERM,), lambda: libc.syscall(number["execve"], None, None, None)),
    ]  # fmt: skip

    def opened(path: bytes, flags: int) -> int:
        return closed(libc.open(path, flags))

    def closed(descriptor: int) -> int:
        if descriptor >= 0:
            os.close(descriptor)
        return descriptor

    still: dict[str, None] = {}
    for what, refusals, attempt in tries:
        ctypes.set_errno(0)
        if attempt() != -1 or ctypes.get_errno() not in refusals:
            still[what] = None
    return still


def watcher(may_read: tuple[str, ...], tell: Callable[[str], None]) -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook for Python that refuses what a handler must not do, and reports what it tried."""
    busy: list[bool] = []

    def refuse(what: str) -> None:
        if not busy:
            busy.append(True)
            tell(what)
        raise PermissionError(f"an action of your own cannot {what}; it asks sayso through its context")

    def heard(event: str, given: tuple[Any, ...]) -> None:
        what = REFUSED.get(event)
        if what is not None:
            refuse(what)
        if event == "open" and not isinstance(given[0], int):
            flags = given[2] if isinstance(given[2], int) else 0
            if flags & _WRITING:
                refuse("change files")
            path = os.path.abspath(os.fsdecode(given[0]))
            if not any(path == place or path.startswith(place + "/") for place in may_read):
                raise PermissionError(f"an action of your own cannot open “{path}”; it asks sayso through its context")

    return heard
