"""A calendar's zone is the one that is named, or the computer's."""

from zoneinfo import ZoneInfo

import pytest

from sayso.core.errors import SetupError
from sayso.core.when import LocalZone
from sayso.providers.calendar.zones import zone_named


def test_a_zone_is_found_by_its_name():
    assert zone_named("Asia/Kathmandu") == ZoneInfo("Asia/Kathmandu")
    assert isinstance(zone_named(""), LocalZone)


def test_an_unknown_zone_is_named():
    with pytest.raises(SetupError, match="Europe/Nowhere"):
        zone_named("Europe/Nowhere")
