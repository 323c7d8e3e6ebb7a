-- The person's lists, version 1. `tasks` and `habits` hold what is on the lists; `deleted_tasks` and `deleted_habits`
-- keep what was deleted: completed tasks for good, all else as long as undo is kept.
-- Times are ISO 8601 in UTC.

CREATE TABLE tasks (
    id           TEXT PRIMARY KEY,
    text         TEXT NOT NULL,
    parent_id    TEXT,              -- NULL at the top
    position     NUMERIC NOT NULL,  -- siblings stand in this order
    completed_at TEXT,              -- NULL while it is active
    created_at   TEXT NOT NULL
);
CREATE INDEX tasks_in_order ON tasks (parent_id, position);

CREATE TABLE deleted_tasks (
    id           TEXT PRIMARY KEY,
    text         TEXT NOT NULL,
    parent_id    TEXT,
    position     NUMERIC NOT NULL,
    completed_at TEXT,
    created_at   TEXT NOT NULL,
    deleted_at   TEXT NOT NULL
);
CREATE INDEX deleted_tasks_in_order ON deleted_tasks (parent_id, position);

CREATE TABLE habits (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    text           TEXT NOT NULL,
    interval_hours REAL NOT NULL,
    last_done_at   TEXT,
    created_at     TEXT NOT NULL
);

CREATE TABLE deleted_habits (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    text           TEXT NOT NULL,
    interval_hours REAL NOT NULL,
    last_done_at   TEXT,
    created_at     TEXT NOT NULL,
    deleted_at     TEXT NOT NULL
);

-- Every time a habit was done, including deleted habits, in the order of `number`.
CREATE TABLE habit_times (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    habit_id TEXT NOT NULL,
    at       TEXT NOT NULL
);
CREATE INDEX habit_times_of ON habit_times (habit_id, number);

-- Each step that was done, written in the transaction of the step: after a crash, either both are there or neither,
-- and no step is done twice. Of an old step, only the token is kept.
CREATE TABLE steps (
    token TEXT PRIMARY KEY,
    step  TEXT,
    left  TEXT,
    at    TEXT NOT NULL
);

-- The search index: `list` is `a` (active tasks), `c` (completed tasks) or `h` (habits), and `plain` is the text in
-- its form for comparison. `letters` holds the groups of letters and the beginnings of words of each text.
CREATE TABLE texts (
    item  INTEGER PRIMARY KEY,
    list  TEXT NOT NULL,
    id    TEXT NOT NULL UNIQUE,
    plain TEXT NOT NULL
);
CREATE INDEX texts_by_plain ON texts (list, plain);
CREATE VIRTUAL TABLE letters USING fts5 (tokens, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
