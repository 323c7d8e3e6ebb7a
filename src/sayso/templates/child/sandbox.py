"""Give up for good all access that a handler must not have: files, programs, connections, other processes."""

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from collections.abc import Callable
from typing import Any

FILES, CALLS = "files", "programs and connections"
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

# The system calls that the kernel refuses, with their numbers on x86_64 and aarch64: those that connect, start, reach,
# limit or signal anything, change files, outlive the process, leave its namespaces or load code into the kernel.
_REFUSED_CALLS = """
socket:41:198 connect:42:203 bind:49:200 execve:59:221 execveat:322:281 fork:57: vfork:58: kill:62:129 tkill:200:130
tgkill:234:131 rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240 ptrace:101:117 process_vm_readv:310:270
process_vm_writev:311:271 process_madvise:440:440 kcmp:312:272 pidfd_open:434:434 pidfd_send_signal:424:424
pidfd_getfd:438:438 io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427 prlimit64:302:261
setpriority:141:140 ioprio_set:251:30 sched_setparam:142:118 sched_setscheduler:144:119 sched_setaffinity:203:122
sched_setattr:314:274 migrate_pages:256:238 move_pages:279:239 chmod:90: fchmod:91:52 fchmodat:268:53
fchmodat2:452:452 chown:92: fchown:93:55 lchown:94: fchownat:260:54 utime:132: utimes:235: futimesat:261:
utimensat:280:88 setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7 removexattr:197:14 lremovexattr:198:15
fremovexattr:199:16 setxattrat:463:463 removexattrat:466:466 file_setattr:469:469 rename:82: renameat:264:38
renameat2:316:276 mkdir:83: mkdirat:258:34 rmdir:84: unlink:87: unlinkat:263:35 link:86: linkat:265:37 symlink:88:
symlinkat:266:36 mknod:133: mknodat:259:33 truncate:76:45 creat:85: name_to_handle_at:303:264
open_by_handle_at:304:265 inotify_add_watch:254:27 fanotify_init:300:262 shmget:29:194 shmat:30:196 shmctl:31:195
semget:64:190 semop:65:193 semctl:66:191 semtimedop:220:192 msgget:68:186 msgsnd:69:189 msgrcv:70:188 msgctl:71:187
mq_open:240:180 mq_unlink:241:181 add_key:248:217 request_key:249:218 keyctl:250:219 bpf:321:280
perf_event_open:298:241 userfaultfd:323:282 unshare:272:97 setns:308:268 chroot:161:51 pivot_root:155:41
mount:165:40 umount2:166:39 open_tree:428:428 move_mount:429:429 fsopen:430:430 fsmount:432:432
mount_setattr:442:442
"""
_MACHINES = {"x86_64": (0xC000003E, 56, 1), "aarch64": (0xC00000B7, 220, 2)}
"""By machine: its number in the kernel, the number of `clone`, and the column of `_REFUSED_CALLS` with its numbers."""
_CLONE3, _THREAD = 435, 0x00010000
_ALLOW, _REFUSE, _NO_SUCH_CALL = 0x7FFF0000, 0x00050001, 0x00050026
_X32 = 0x40000000


def confine(memory: int, tell: Callable[[str], None]) -> None:
    """Limit this process's resources, let the kernel refuse forbidden calls where it can, and report what is tried."""
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NOFILE, MOST_OPEN),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, CPU_SECONDS),
    ):
        resource.setrlimit(what, (most, most))
    if sys.platform == "linux":
        libc: Any = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
            close_the_disk(libc)
            close_the_calls(libc)
    sys.addaudithook(watcher(readable(), tell))


def missing_confinement() -> tuple[str, ...]:
    """Return what this machine's kernel cannot refuse a handler, so that only Python's audit hook refuses it."""
    if sys.platform != "linux":
        return (FILES, CALLS)
    libc: Any = ctypes.CDLL(None, use_errno=True)
    files = libc.syscall(_CREATE, None, 0, 1) >= 1
    # Without a filter, a kernel that knows filters returns EFAULT, and one that does not returns EINVAL.
    filters = libc.prctl(_SECCOMP, _FILTER, None) < 0 and ctypes.get_errno() == errno.EFAULT
    calls = filters and platform.machine() in _MACHINES
    return (*(() if files else (FILES,)), *(() if calls else (CALLS,)))


def readable() -> tuple[str, ...]:
    """Return the paths that Python itself needs to read: its modules, shared libraries and time zones."""
    own = os.path.realpath(os.path.dirname(os.__file__))
    return (own, "/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/etc/localtime", "/dev/null", "/dev/urandom")


def close_the_disk(libc: Any) -> None:
    """Let the kernel refuse access to all files except the readable ones, where it can (Landlock)."""
    version = libc.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return
    rights = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
    net = _LISTENS_AND_CONNECTS if version >= _NET_SINCE else 0
    scoped = _SCOPES if version >= _SCOPED_SINCE else 0
    attributes = struct.pack("=QQQ", rights, net, scoped)
    size = 24 if version >= _SCOPED_SINCE else 16 if version >= _NET_SINCE else 8
    rules = libc.syscall(_CREATE, attributes, size, 0)
    if rules < 0:
        return
    for place in readable():
        try:
            held = os.open(place, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = _READ_FILE | _READ_FOLDER if os.path.isdir(place) else _READ_FILE
        libc.syscall(_ADD, rules, 1, struct.pack("=Qi", allowed, held), 0)
        os.close(held)
    libc.syscall(_RESTRICT, rules, 0)
    os.close(rules)


def close_the_calls(libc: Any) -> None:
    """Let the kernel refuse system calls that start, reach or signal anything, where it can (seccomp)."""
    known = _MACHINES.get(platform.machine())
    if known is None:
        return
    machine, clone, column = known
    calls = [int(number) for row in _REFUSED_CALLS.split() if (number := row.split(":")[column])]
    load, equal, at_least, bits = 0x20, 0x15, 0x35, 0x45
    rules = [(load, 0, 0, 4), (equal, 1, 0, machine), (0x06, 0, 0, _REFUSE), (load, 0, 0, 0)]
    rules += [(at_least, 0, 1, _X32), (0x06, 0, 0, _REFUSE)]
    rules += [(equal, 0, 1, _CLONE3), (0x06, 0, 0, _NO_SUCH_CALL)]
    for call in calls:
        rules += [(equal, 0, 1, call), (0x06, 0, 0, _REFUSE)]
    # `clone` may only start a thread: everything else that it makes is another process.
    rules += [(equal, 0, 3, clone), (load, 0, 0, 16), (bits, 1, 0, _THREAD), (0x06, 0, 0, _REFUSE)]
    rules += [(0x06, 0, 0, _ALLOW)]
    program = b"".join(struct.pack("=HBBI", *rule) for rule in rules)
    kept = ctypes.create_string_buffer(program)
    libc.prctl(_SECCOMP, _FILTER, struct.pack("@HxxxxxxP", len(rules), ctypes.addressof(kept)), 0, 0)


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
