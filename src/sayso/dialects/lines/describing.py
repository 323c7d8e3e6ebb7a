"""Write the part of the prompt that teaches a model to answer in commands."""

from collections.abc import Iterator, Sequence

from sayso.core.operation import Operation
from sayso.dialects import strangers
from sayso.dialects.kinds import members
from sayso.dialects.lines.forms import Form, all_forms
from sayso.dialects.lines.values import kinds
from sayso.dialects.names import LINES

_ROLE = """\
You are a helpful assistant that carries out actions on the person's computer, on macOS or Linux. You write commands; \
they are checked, shown to the person where needed, and then carried out. Nothing but the commands listed here can be \
done; there is no shell, and no script is run on the computer."""

_RULES = """\
Respond with ONLY the commands to carry out, one per line, in the order they are to happen. No prose, no code fences.
Be concise. Use # for comments.
If no action is needed, respond with: # No action needed
Put each text in double quotes. Inside them \\" is a quote, \\\\ a backslash, \\n a new line and \\t a tab.
Replace every name below by your own text or number. [Square brackets] mark what may be left out; do not write them."""

_HEREDOC = """\
A long text may be written over several lines, just as it is: {texts}. End the command with <<END in place of that \
text, then write the lines, then a line that is only END. The last line of a file's text or of a body ends in a line \
break then, as the others do. If the text itself has a line END, use another word in capitals both times, such as \
<<DONE."""

_PATHS = "Paths are absolute, or ~ or start with ~/, and are never patterns."
_TIMES = "Times are written YYYY-MM-DD HH:MM, or YYYY-MM-DD for a whole day, in local time."
_LISTS = 'Lists and objects are JSON with no blank between their parts: [2,5,8] or ["a b","c"].'
_BOUNDS = "Bounds are the edges of a window in pixels, as [left,top,right,bottom]."
_GAPS = "A bare - leaves out an argument in square brackets when another one follows it."

_EXAMPLES = (
    ("NOTIFY", 'NOTIFY "Time to wrap up" "You have 3 pending tasks"'),
    ("WRITE_DOC", 'WRITE_DOC "~/Documents/tomorrow.md" <<END\n# Tomorrow\n\n1. Call the "Blue Door" café\nEND'),
    ("OPEN_FILE", 'OPEN_FILE "~/Documents/tomorrow.md"'),
)


def describe(operations: Sequence[Operation]) -> str:
    """Return role, rules and one line per command; only the operations given are named (S0-66, S0-71, T-12)."""
    forms = _listed(operations)
    actions = "\n".join(f"- {form.usage} - {form.operation.summary}" for form in forms)
    examples = "\n".join(text for name, text in _EXAMPLES if name in {form.name for form in forms})
    parts = [
        _ROLE,
        "RULES:\n" + "\n".join([*_rules(forms), *strangers.rules(operations)]),
        f"AVAILABLE ACTIONS:\n{actions}",
    ]
    return "\n\n".join([*parts, f"EXAMPLE:\n{examples}"] if examples else parts) + "\n"


def _listed(operations: Sequence[Operation]) -> list[Form]:
    known = all_forms(operations)
    named = [known[command.name] for command in LINES if command.name in known]
    have_a_name = {form.operation.id for form in named}
    return named + [form for form in known.values() if form.operation.id not in have_a_name]


def _rules(forms: Sequence[Form]) -> Iterator[str]:
    yield _RULES
    texts = [f"the {form.takes[form.body].name} of {form.name}" for form in forms if form.body is not None]
    if texts:
        yield _HEREDOC.format(texts=", ".join(texts))
    parameters = [parameter for form in forms for parameter in form.takes]
    if any(parameter.kind == "path" for parameter in parameters):
        yield _PATHS
    if any(parameter.kind == "when" for parameter in parameters):
        yield _TIMES
    if any(kinds(parameter) & {"array", "object"} for parameter in parameters):
        yield _LISTS
    if any(form.open and len(form.takes) - form.least > 1 for form in forms):
        yield _GAPS
    if any(parameter.name == "bounds" for parameter in parameters):
        yield _BOUNDS
    yield from _objects(forms)


def _objects(forms: Sequence[Form]) -> Iterator[str]:
    for form in forms:
        for parameter in form.takes:
            if keys := members(parameter.schema):
                yield f"The {parameter.name} of {form.name}: {keys}; what has a ? may be left out."
