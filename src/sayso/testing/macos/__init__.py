"""A simulated Mac for tests: stand-ins for `osascript` and other programs, over applications that a file describes."""

from sayso.testing.macos.mac import SimulatedMac

__all__ = ["SimulatedMac"]
