"""Without its packages a calendar says with which command they come."""

import subprocess
import sys

from sayso.core.ports import Ground
from sayso.providers.calendar.building import caldav, vdir
from sayso.testing.fakes import FakeClock, NumberedIds

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"icalendar", "recurring_ical_events", "httpx2"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import sayso
from sayso.core.errors import SetupError
from sayso.core.ports import Ground
from sayso.providers.calendar import building
from sayso.testing.fakes import FakeClock, NumberedIds
for made in (building.vdir, building.caldav):
    try:
        made(Ground({}, "/", "/x", (), FakeClock(), NumberedIds()))
    except SetupError as no:
        print(no)
"""


def test_each_backend_is_built(tmp_path: object):
    ground = Ground({"url": "https://example.org/"}, "/", str(tmp_path), (), FakeClock(), NumberedIds())

    assert vdir(ground).name == "vdir"
    assert caldav(ground).name == "caldav:example.org"


def test_a_missing_package_is_named_with_the_command_that_brings_it():
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout

    assert said.count("pip install 'sayso[calendar]'") == 2
