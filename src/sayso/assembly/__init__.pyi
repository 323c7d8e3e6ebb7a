# The two ways in with their types; `__init__.py` imports each when it is first asked for.

from sayso.assembly.home import Home as Home
from sayso.assembly.wiring import open_home as open_home
