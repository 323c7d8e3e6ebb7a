"""A name server on this machine that knows a few records."""

import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress

import dns.message
import dns.rcode
import dns.rrset
from dns.resolver import Resolver


@contextmanager
def name_server(records: Mapping[tuple[str, str], list[str]]) -> Generator[Resolver]:
    """Yield what asks a server that knows these records, by name and kind, and that ends with the block."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        serving = threading.Thread(target=_serve, args=(there, records))
        serving.start()
        resolver = Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = there.getsockname()[1]
        try:
            yield resolver
        finally:
            there.sendto(b"end", there.getsockname())
            serving.join(5)


def _serve(there: socket.socket, records: Mapping[tuple[str, str], list[str]]) -> None:
    with suppress(OSError):
        while True:
            data, who = there.recvfrom(4096)
            if data == b"end":
                return
            asked = dns.message.from_wire(data)
            (question,) = asked.question
            name, kind = question.name.to_text(omit_final_dot=True), question.rdtype.name
            answer = dns.message.make_response(asked)
            if (name, kind) in records:
                answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *records[name, kind]))
            else:
                answer.set_rcode(dns.rcode.NXDOMAIN)
            there.sendto(answer.to_wire(), who)
