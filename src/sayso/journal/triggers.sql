-- Version 3 of the journal: the state of triggers. The actions that they ran are in the table `action`.

-- One row for each trigger, updated only with `UPDATE … WHERE name = ? AND turn = ?`, so only one of several
-- processes handles a due time.
CREATE TABLE trigger_state (
    name TEXT PRIMARY KEY,
    turn INTEGER NOT NULL,          -- how many times the row was updated
    body TEXT NOT NULL              -- JSON: off, when, seen, known, fired, run, said
) WITHOUT ROWID;
