-- Version 2 of the journal: conversations, and notes for models from the person or other programs.
-- The actions that resulted from a conversation are in the table `action`.

-- A conversation. Its actions have its id as their session.
CREATE TABLE session (
    id    TEXT PRIMARY KEY,
    name  TEXT NOT NULL,
    entry TEXT NOT NULL,            -- `commands`, `automation` or `chat`
    begun INTEGER NOT NULL,         -- microseconds since 1970 in UTC
    last  INTEGER NOT NULL
) WITHOUT ROWID;

-- One request of the person and its results. `body` is JSON: words, reply, runs, and the whole trace.
CREATE TABLE exchange (
    number  INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    time    INTEGER NOT NULL,
    body    TEXT NOT NULL
);
CREATE INDEX of_its_session ON exchange (session, number);

-- The exchange that caused a run.
CREATE TABLE exchange_run (
    run    TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;

-- The notes for models, such as a mood: one row for each name; `value` is JSON.
CREATE TABLE told (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    time  INTEGER NOT NULL
) WITHOUT ROWID;
