-- Version 2 of the journal: what was said in which session, and what other programs told of the person.
-- Nothing of it is in the chain of hashes: what was done stands in `action`, what was said to get there stands here,
-- and may be forgotten.

-- A conversation. Its id is the session of its actions.
CREATE TABLE session (
    id    TEXT PRIMARY KEY,
    name  TEXT NOT NULL,
    entry TEXT NOT NULL,            -- commands, automation, chat
    begun INTEGER NOT NULL,         -- microseconds since 1970 in UTC
    last  INTEGER NOT NULL
) WITHOUT ROWID;

-- One wish and what came of it. `body` is JSON: words, reply, runs, and the whole trace.
CREATE TABLE exchange (
    number  INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    time    INTEGER NOT NULL,
    body    TEXT NOT NULL
);
CREATE INDEX of_its_session ON exchange (session, number);

-- Which exchange a run came of.
CREATE TABLE exchange_run (
    run    TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) WITHOUT ROWID;

-- What was told for models to know, such as a mood; one row for each name, `value` is JSON.
CREATE TABLE told (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    time  INTEGER NOT NULL
) WITHOUT ROWID;
