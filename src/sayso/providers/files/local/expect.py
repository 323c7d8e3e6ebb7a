"""Hold what a step expects against what is there, on the very descriptors that the step then uses."""

import os
from collections.abc import Mapping
from contextlib import ExitStack

from sayso.core.errors import ProviderError, Refused
from sayso.core.plan import Fact, Facts
from sayso.providers.disk.wrong import changed, changed_on_the_way
from sayso.providers.files.facts import Free, SameFolder, Unchanged
from sayso.providers.files.local.confine import Confinement
from sayso.providers.files.local.measure import Measure, Seen, difference
from sayso.providers.files.local.spot import Spot


class Expectations:
    """What one step expects; `spots` are the places it touches."""

    def __init__(self, confine: Confinement, measure: Measure, stack: ExitStack, *spots: Spot) -> None:
        self._confine = confine
        self._measure = measure
        self._stack = stack
        self._spots: Mapping[str, Spot] = {spot.about: spot for spot in spots}
        self._folders = {os.path.dirname(spot.about): spot.folder for spot in spots if spot.name != "."}
        self._seen: dict[str, Seen] = {}

    def check(self, expects: Facts) -> None:
        """Raise `ProviderError` (`world.changed`) for the first fact that no longer holds."""
        for fact in expects:
            self._check(fact)

    def seen(self, spot: Spot) -> Seen:
        """Return what stands at a spot of the step, as it was when it was checked. Raises `ProviderError`."""
        if spot.about not in self._seen:
            seen = self._measure.see(spot, self._stack)
            if seen is None:
                raise changed(spot.said, "it is gone")
            self._seen[spot.about] = seen
        return self._seen[spot.about]

    def _check(self, fact: Fact) -> None:
        match fact:
            case Unchanged():
                self._unchanged(fact)
            case SameFolder():
                self._same_folder(fact)
            case Free():
                self._free(fact)
            case _:
                raise TypeError(f"the files of this machine cannot check the fact “{fact.fact}”")

    def _unchanged(self, fact: Unchanged) -> None:
        spot = self._spot(fact.about)
        now = self.seen(spot) if spot is not None else None
        how = difference(fact, now.whole if now else None)
        if how:
            raise changed(self._confine.said(fact.about) if spot is None else spot.said, how)

    def _same_folder(self, fact: SameFolder) -> None:
        said = self._confine.said(fact.about)
        if fact.about in self._folders:
            found = os.fstat(self._folders[fact.about])
        else:
            spot = self._spot(fact.about)
            there = spot.stat() if spot is not None else None
            if there is None:
                raise changed(said, "it is gone")
            found = there
        if (found.st_dev, found.st_ino) != (fact.device, fact.inode):
            raise changed(said, "another folder stands there now")

    def _free(self, fact: Free) -> None:
        spot = self._spot(fact.about)
        if spot is not None and spot.stat() is not None:
            raise changed(spot.said, "something stands there now")

    def _spot(self, about: str) -> Spot | None:
        """Return the place a fact is about; None where its folder is gone.

        A kept place or Trash lies in no root. One that the step has not opened is not there yet; whoever makes it
        finds out in the act whether it is taken.
        """
        if about in self._spots:
            return self._spots[about]
        try:
            return self._confine.spot(self._confine.planned(about), self._stack)
        except Refused as refused:
            if refused.code == "path.outside_roots":
                return None
            raise changed_on_the_way(self._confine.said(about)) from refused
        except ProviderError:
            return None
