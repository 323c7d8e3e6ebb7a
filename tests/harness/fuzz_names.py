"""The readers that are fuzzed, by name."""

from collections.abc import Mapping

from sayso.assembly.parts import DIALECTS
from sayso.assembly.parts import dialect as dialect_called
from sayso.core.dialect import Dialect
from sayso.dialects.detect import CHAT

READERS: Mapping[str, Dialect] = {**{name: dialect_called(name) for name in sorted(DIALECTS)}, CHAT.name: CHAT}
