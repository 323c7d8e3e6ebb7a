-- Version 3 of the journal: what is kept of triggers between two times. What they ran stands in `action`.

-- One row for each trigger. It moves on only by `UPDATE … WHERE name = ? AND turn = ?`, so that of several
-- processes one takes care of a due time.
CREATE TABLE trigger_state (
    name TEXT PRIMARY KEY,
    turn INTEGER NOT NULL,          -- how often it has moved on
    body TEXT NOT NULL              -- JSON: off, when, seen, known, fired, run, said
) WITHOUT ROWID;
