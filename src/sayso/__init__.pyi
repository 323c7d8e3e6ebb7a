# The public names with their types; `__init__.py` imports each when it is first asked for.

from sayso.assembly import Home as Home
from sayso.assembly import open_home as open_home
from sayso.assembly.toolset import Toolset as Toolset
from sayso.core.decision import Decision as Decision
from sayso.core.decision import Question as Question
from sayso.core.errors import ProposalError as ProposalError
from sayso.core.errors import ProviderError as ProviderError
from sayso.core.errors import SaysoError as SaysoError
from sayso.core.errors import SetupError as SetupError
from sayso.core.grant import Grant as Grant
from sayso.core.grant import Wish as Wish
from sayso.core.record import State as State
from sayso.policy.settings import Policy as Policy
from sayso.runtime.questions import Client as Client
from sayso.runtime.questions import Nobody as Nobody
from sayso.runtime.results import Outcome as Outcome
from sayso.runtime.results import Report as Report
