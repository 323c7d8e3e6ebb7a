"""What a word in a name may stand for: words of one meaning stand together, those of opposite meaning never do."""

from collections.abc import Mapping
from types import MappingProxyType

_SYNONYMS = """
add: create
create: add
new: add create
make: create add
insert: add
get: read list
show: read list reveal
view: read list
display: read list
cat: read
fetch: get read list
retrieve: get read
load: read
list: inbox
ls: list
enumerate: list
search: find
find: search
lookup: find search
delete: trash remove
remove: delete trash
trash: delete
erase: delete
destroy: delete
discard: delete trash
rm: delete
del: delete
done: complete log
finish: complete log
tick: complete log
complete: log
track: log
record: log
undone: reopen
uncomplete: reopen
untick: reopen
uncheck: reopen
edit: update
update: edit
change: edit update
modify: edit update
rename: move edit
reword: edit
move: place
position: place
arrange: place
resize: place
launch: open
start: open
goto: open
navigate: open
close: quit
quit: close
exit: quit close
stop: quit
terminate: quit
focus: activate switch
switch: activate
front: activate
duplicate: copy
clone: copy
save: write
overwrite: write
set: write
write: compose
draft: compose
execute: run
eval: run
evaluate: run
press: click
tap: click
type: fill
capture: screenshot
say: speak
speak: say
alert: notify
notification: notify
folder: file
directory: folder file
dir: folder file
document: file
doc: file
application: app
program: app
email: mail
website: url
site: url
link: url
address: url
page: url
todo: task
appointment: event
meeting: event
javascript: js
"""

MEANS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {word: tuple(rest.split()) for word, _, rest in (line.partition(": ") for line in _SYNONYMS.split("\n") if line)}
)
"""For a word: those that it may stand for, the likeliest first."""

_OTHERS = """
api cancel check clear clock count deselect disable enable export hide import lock merge node pause pin post print
recover remote restore resume select sent share sort split sync tag test undelete undo unlock upload
"""

OTHERS = frozenset(_OTHERS.split())
"""Words of a meaning of their own that nothing here has; they are no slip of the pen for another."""

ALSO: Mapping[str, str] = MappingProxyType(
    {
        "mkdir": "file.mkdir",
        "file_create_folder": "file.mkdir",
        "task_mark_complete": "task.complete",
        "task_complete_off": "task.complete",
        "task_check_off": "task.complete",
        "clipboard_copy": "clipboard.write",
        "calendar_create": "calendar.create_event",
        "calendar_update": "calendar.update_event",
        "calendar_delete": "calendar.delete_event",
        "send_notify": "notify.show",
    }
)
"""Names that nobody gave and many would write, with the operation that each means."""
