"""Grove as a code of AMUSE: `from amuse.community.grove import Grove`."""

from .interface import Grove, GroveInterface

__all__ = ["Grove", "GroveInterface"]
