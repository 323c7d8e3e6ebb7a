# The public names with their types; `__init__.py` imports each at its first use.

from sayso.assembly.home import Home as Home
from sayso.assembly.wiring import open_home as open_home
