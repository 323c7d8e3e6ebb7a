"""Give tests each way of opening without following links."""

from tests.providers.disk.ways import disk, way

__all__ = ["disk", "way"]
