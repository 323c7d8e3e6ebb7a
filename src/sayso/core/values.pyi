# To a type checker these are Python's own.

from dataclasses import dataclass as dataclass
