"""Has a call of `osascript` answered by the engine that stays, at a socket; where it cannot, the call is made as ever.

Started as `client.py SOCKET COMMAND…`, where the command is what stands in for `osascript`. It imports as little as it
can, because thousands of calls are made.
"""

import sys

try:
    import _socket
    from posix import execv
except ImportError:
    sys.exit("needs a system with sockets of its own")

words = sys.argv[2:]
talk = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
try:
    talk.connect(sys.argv[1])
except OSError:
    execv(words[0], words)
data = b"".join(b"%d:%b" % (len(word), word) for word in (one.encode("utf-8", "surrogateescape") for one in words))
talk.sendall(b"%d:%b" % (len(data), data))
answer = b""
while chunk := talk.recv(65536):
    answer += chunk
code, _, rest = answer.partition(b":")
if code in {b"", b"self"}:
    execv(words[0], words)
size, _, rest = rest.partition(b":")
sys.stdout.buffer.write(rest[: int(size)])
sys.stdout.buffer.flush()
sys.stderr.buffer.write(rest[int(size) :])
sys.exit(int(code))
