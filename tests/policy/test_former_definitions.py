"""The digests from before operations had versions: one for each Python of then, each of an operation that there is."""

from collections import Counter

from sayso.assembly.parts import PROVIDERS
from sayso.policy.former_definitions import DIGESTS
from sayso.runtime.registry import catalogue


def test_each_shipped_operation_of_then_has_one_for_each_python():
    counted = Counter(DIGESTS.values())

    assert set(counted.values()) == {3}
    assert counted.keys() <= catalogue(PROVIDERS).keys()
    assert all(len(digest.removeprefix("sha256:")) == 64 for digest in DIGESTS)
