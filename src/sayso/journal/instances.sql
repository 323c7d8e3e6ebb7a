-- Version 5 of the journal: offers of the person's own actions, and what actions add to a chat. All of these rows are
-- under the chain.

-- One row for each offer, updated only with `UPDATE … WHERE id = ? AND turn = ?`, so only one of several processes
-- runs it. An offer that does not run is removed an hour after it was made.
CREATE TABLE instance (
    id      TEXT PRIMARY KEY,       -- `act_…`
    session TEXT NOT NULL,
    state   TEXT NOT NULL,          -- pending, running, done or failed
    turn    INTEGER NOT NULL,       -- how many times the row was updated
    created INTEGER NOT NULL,       -- microseconds since 1970 in UTC
    run     TEXT NOT NULL,          -- the run that carries out what its handler requested; '' if there is none
    body    TEXT NOT NULL           -- JSON of the rest: template, label, params, style, result, …
) WITHOUT ROWID;
CREATE INDEX instance_of_run ON instance (run) WHERE run > '';

-- What actions put into a chat: messages, the results of offers, and lines for the log.
CREATE TABLE message (
    number  INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    role    TEXT NOT NULL,          -- user, assistant, system, or log
    time    INTEGER NOT NULL,
    body    TEXT NOT NULL           -- JSON of the rest: content, level, instance
);
CREATE INDEX message_of_session ON message (session, number);
