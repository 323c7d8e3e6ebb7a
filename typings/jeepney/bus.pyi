# Addresses of buses.

from collections.abc import Iterator

def get_connectable_addresses(addr: str) -> Iterator[str]: ...
