"""What a store must offer so that messages are found in it by their ids, and remembered where they were seen."""

from collections import OrderedDict

from sayso.providers.mail.places import Place

MOST = 20_000
"""How many messages are remembered."""


class Seen:
    """Where messages were seen last, by their ids; the oldest are forgotten."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, Place] = OrderedDict()

    def __getitem__(self, id_: str) -> Place | None:
        """Return where a message was seen; None when it was not, or is forgotten."""
        return self._places.get(id_)

    def put(self, id_: str, place: Place) -> None:
        """Remember where a message was seen."""
        self._places[id_] = place
        self._places.move_to_end(id_)
        if len(self._places) > MOST:
            self._places.popitem(last=False)

    def drop(self, id_: str) -> None:
        """Forget where a message was seen: it is there no more."""
        self._places.pop(id_, None)
