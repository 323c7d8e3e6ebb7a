"""What is asked of an external program: words of ours, values of somebody else's, and the bounds it runs in."""

from collections.abc import Mapping
from dataclasses import field

from sayso.core.errors import ProviderError
from sayso.core.values import dataclass

SECONDS = 30.0
MOST = 16 * 2**20


@dataclass(frozen=True)
class Call:
    """One run of a program. `words` are written by sayso; `values` come from a model, a person or a file.

    There is no shell, so a value is never more than one argument. `dashes` says that the program takes
    `--` as the end of its options; without it a value that begins with a dash is refused.
    """

    program: str
    """A name that is looked for on the PATH, or an absolute path."""
    words: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    dashes: bool = False
    data: bytes = b""
    """What it reads on its standard input."""
    seconds: float = SECONDS
    most: int = MOST
    """How many bytes of what it says are kept, of output and of errors each."""
    silent: bool = False
    """Nothing it says is read: for a program that leaves a process behind, which would hold on to the pipes."""
    kept: bool = False
    """It is ended with everything it started even when sayso itself is killed: for what may run long."""
    file: str = ""
    """The path of a private file that is there, with `filed` in it, while a kept program runs; empty for none."""
    filed: bytes = b""
    folder: str = "/"
    whole: bool = False
    """It gets the person's whole environment, without what is sayso's; else only what a desktop program needs."""
    bare: bool = False
    """It gets neither: no home, no desktop, nothing but language and time zone."""
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its environment has beside that."""

    def arguments(self) -> tuple[str, ...]:
        """Return the arguments, in which no value can be taken for an option. Raises `ProviderError`."""
        for word in (self.program, *self.words, *self.values):
            if "\0" in word:
                raise ProviderError(f"{self.name} cannot be given a text with a NUL in it", "program.argument")
        if self.dashes and self.values:
            return (*self.words, "--", *self.values)
        for value in self.values:
            if value.startswith("-"):
                shown = value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}…"
                raise ProviderError(
                    f"“{shown}” would be taken for an option of {self.name}; write it without a dash in front",
                    "program.option",
                )
        return (*self.words, *self.values)

    @property
    def name(self) -> str:
        """Return the program as a person calls it."""
        return self.program.rpartition("/")[2]


MOST_SHOWN = 60


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit code (negative for a signal), and what it said."""

    name: str
    code: int
    output: bytes = b""
    errors: bytes = b""
    cut: bool = False
    """It said more than is kept."""

    @property
    def text(self) -> str:
        """Return its output as text; trailing newlines are taken off, inner ones are kept."""
        return self.output.decode("utf-8", "replace").rstrip("\r\n")

    @property
    def complaint(self) -> str:
        """Return what it said on its error output, on one line and shortened; else how it ended."""
        said = " ".join(self.errors.decode("utf-8", "replace").split())
        how = f"it was ended by signal {-self.code}" if self.code < 0 else f"it ended with {self.code}"
        return (said if len(said) <= MOST_SAID else f"{said[:MOST_SAID]}…") or how


MOST_SAID = 400
