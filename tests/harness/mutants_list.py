"""The mutants that may live, each with its reason; the list may only get shorter."""

from pathlib import Path

import msgspec

from tests.harness.mutants_made import Name

FILE = "tests/mutants.toml"


class Listed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One change that no test can or need notice."""

    file: str
    function: str
    was: str
    becomes: str
    why: str
    nth: int = 1

    @property
    def name(self) -> Name:
        """Return the mutant that is meant."""
        return Name(self.file, self.function, self.was, self.becomes, self.nth)


class Mutants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    most: int = 0
    """How many there may be."""
    listed: tuple[Listed, ...] = ()


def read(root: Path) -> Mutants:
    """Read the list of a project; none is an empty one."""
    file = root / FILE
    return msgspec.toml.decode(file.read_bytes(), type=Mutants) if file.is_file() else Mutants()
