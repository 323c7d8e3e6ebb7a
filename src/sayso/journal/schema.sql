-- The journal of sayso: what was proposed, decided and done, and a chain of hashes over it.
--
-- To read the journal with plain `sqlite3`, use the two views at the end: `history` (one row per action) and
-- `trail` (one row per commit). The views write all values out; the tables store them in a short form.
--
-- This is version 1. Each later version has a file of its own in this folder (see `database.py`): `sessions.sql`
-- adds conversations, `triggers.sql` adds the state of triggers.
--
-- Two rules: an action is updated only with `UPDATE … WHERE key = ? AND turn = ?`, so only one of several
-- processes succeeds; and every commit writes exactly one row of `audit`, in the same transaction.

-- One action: a proposal, what was decided about it, and its outcome.
CREATE TABLE action (
    key       INTEGER PRIMARY KEY,  -- time-ordered; `do_` and its 13 base-32 characters are the action's id
    run       NOT NULL,             -- key of its run, usually the key of the run's first action;
                                    -- a run id that is not `run_…` is stored as text
    idx       INTEGER NOT NULL,     -- its index in the run, from 0
    state     TEXT NOT NULL,        -- waiting running done unchanged failed refused declined expired
                                    -- invalid skipped unknown planned undone
    turn      INTEGER NOT NULL,     -- how many times the row was updated
    back      INTEGER NOT NULL,     -- 1 if a change of it was done and can be undone; -1 while it waits or
                                    -- runs and is in the index `live`; otherwise 0
    operation TEXT NOT NULL,        -- empty if the proposal could not be understood
    time      NOT NULL,             -- microseconds since 1970 in UTC, like all times in this file
    origin    INTEGER NOT NULL,     -- id in `shared`: dialect, entry, hash of the policy, backends
    session   TEXT,                 -- NULL if it has none, '' if its session is its run
    undo_of   ,                     -- key of the action that this one undoes
    expires   ,                     -- when it expires if nobody decides
    digest    ,                     -- SHA-256 (32 bytes) of what a person approves
    marks     TEXT NOT NULL,        -- JSON of what is updated: outcome and facts of each change, times, messages
    a TEXT, b TEXT, c TEXT, d TEXT, -- JSON texts that characters 1 to 4 mean in `marks` and `body` of this row
    body      TEXT NOT NULL         -- JSON of the rest: original text, arguments, label, plan, verdict; rewritten
                                    -- only if it is planned or judged again later, or redacted at its end
);

-- The actions that wait or run, so that they are found fast in a journal of any size. Actions are added to this
-- index only from time to time, because most end soon: it is complete up to the key in `meta` under `noted`, and
-- the few actions with larger keys are searched one by one.
CREATE INDEX live ON action (idx) WHERE back < 0;

-- The actions that have ended, for the filters of the history and for undoing the last action.
CREATE INDEX ended ON action (operation, state, back) WHERE state NOT IN ('waiting', 'running');

-- The actions of a run, except the one that has the key of the run: that one is found by its key.
CREATE INDEX of_run ON action (run) WHERE run <> key;

CREATE INDEX of_session ON action (session) WHERE session > '';

-- JSON that many actions share.
CREATE TABLE shared (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);

-- Which operations were done in each session; they show whether the session may have read text of strangers.
-- If a session is a single run, it is not listed here. Version 4 replaces this table by `exposure`.
CREATE TABLE heard (
    session   TEXT NOT NULL,
    operation TEXT NOT NULL,
    PRIMARY KEY (session, operation)
) WITHOUT ROWID;

-- Standing permissions ("always allow this").
CREATE TABLE permission (
    id      TEXT PRIMARY KEY,
    uses    INTEGER NOT NULL,
    revoked INTEGER NOT NULL,
    body    TEXT NOT NULL           -- JSON of the rest: what is permitted, time of the last use, who revoked it
) WITHOUT ROWID;

-- The chain, one row per commit:
--   record = RFC 8785 JSON of {"actions": [{"id", "row", "state", "turn"}, …], "event", "seq", "time"}
--   hash   = SHA-256(byte 0, hash of the row before, record)
-- `row` of an action has 32 bytes: the first 16 of the SHA-256 of its content, and the first 16 of the SHA-256 of
-- state, turn and marks; they reveal any later change. If sayso itself rewrites the content, the record says so
-- (`"anew": true`). The other columns can be computed from the hashed values. `rows` in a record has the hashes of rows
-- of other tables (`sealed_tables.py`); the record of a removal of old rows also contains a hash of the earlier anchors.
CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY,
    time   INTEGER NOT NULL,
    event  TEXT NOT NULL,
    action INTEGER, turn INTEGER, state TEXT, row BLOB, -- set if the commit is about one action;
    more   TEXT,                                        -- otherwise the record's other members, as JSON
    hash   BLOB NOT NULL
);

-- Where the chain starts: row 0 is written with the journal, and one row more whenever old rows are removed.
CREATE TABLE anchor (
    seq     INTEGER PRIMARY KEY,    -- the last audit row that was removed
    hash    BLOB NOT NULL,          -- its hash
    removed INTEGER NOT NULL,       -- how many actions were removed
    time    INTEGER NOT NULL
);

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,         -- `origin` (the journal's own name, also in checkpoints), `created`, `noted`
    value NOT NULL
) WITHOUT ROWID;

-- JSON texts that most rows contain; each is stored there as one character (5 to 31). This table never changes,
-- because a journal must be read with the texts with which it was written.
CREATE TABLE short (
    code INTEGER PRIMARY KEY,
    text TEXT NOT NULL
);

INSERT INTO short (code, text) VALUES
    ( 5, '{"said":"'),
    ( 6, '","arguments":{"'),
    ( 7, '"source":"'),
    ( 8, '","destination":"'),
    ( 9, '"},"plan":{"summary":"'),
    (10, '","changes":[{"do":{"step":"file.'),
    (11, '"},"undo":{"step":"file.'),
    (12, '"},"expects":{"'),
    (13, 'unchanged":{"'),
    (14, '":{"kind":"file","device":'),
    (15, '"same_folder":{"'),
    (16, '":{"device":'),
    (17, ',"inode":'),
    (18, ',"size":'),
    (19, ',"mtime_ns":'),
    (20, ',"sha256":"'),
    (21, '","entries":'),
    (22, '"free":{"'),
    (23, '":{}}'),
    (24, '"said_when_done":"'),
    (25, '"},"verdict":{"ruling":"a'),
    (26, '","because":"'),
    (27, '","rule":"'),
    (28, '","level":"'),
    (29, '","decided_at":"20'),
    (30, ',"ended_at":"20'),
    (31, ',"changes":[{"outcome":"done","left":{"');

-- The actions with all values written out: `body` and `marks` are JSON, times are ISO 8601, hashes are hex.
CREATE VIEW history AS
WITH written AS (
    SELECT
        action.*,
        (WITH RECURSIVE step (code, text) AS (
            SELECT 4, replace(replace(replace(replace(body, char(1), coalesce(a, '')), char(2), coalesce(b, '')),
                char(3), coalesce(c, '')), char(4), coalesce(d, ''))
            UNION ALL
            SELECT code + 1, replace(text, char(code + 1), (SELECT text FROM short WHERE code = step.code + 1))
            FROM step WHERE code < 31
        ) SELECT text FROM step WHERE code = 31) AS long_body,
        (WITH RECURSIVE step (code, text) AS (
            SELECT 4, replace(replace(replace(replace(marks, char(1), coalesce(a, '')), char(2), coalesce(b, '')),
                char(3), coalesce(c, '')), char(4), coalesce(d, ''))
            UNION ALL
            SELECT code + 1, replace(text, char(code + 1), (SELECT text FROM short WHERE code = step.code + 1))
            FROM step WHERE code < 31
        ) SELECT text FROM step WHERE code = 31) AS long_marks,
        strftime('%Y-%m-%dT%H:%M:%S', time / 1000000, 'unixepoch') AS second
    FROM action
)
SELECT
    'do_' || (SELECT group_concat(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (key >> column1 & 31) + 1, 1), '')
        FROM (VALUES (60), (55), (50), (45), (40), (35), (30), (25), (20), (15), (10), (5), (0))) AS id,
    CASE typeof(run) WHEN 'integer' THEN
        'run_' || (SELECT group_concat(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (run >> column1 & 31) + 1, 1), '')
            FROM (VALUES (60), (55), (50), (45), (40), (35), (30), (25), (20), (15), (10), (5), (0)))
    ELSE run END AS run,
    idx,
    CASE typeof(time) WHEN 'integer' THEN
        second || CASE time % 1000 WHEN 0 THEN printf('.%03dZ', time / 1000 % 1000)
            ELSE printf('.%06dZ', time % 1000000) END
    ELSE time END AS time,
    nullif(operation, '') AS operation,
    state, turn, back,
    CASE session WHEN '' THEN
        'run_' || (SELECT group_concat(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (run >> column1 & 31) + 1, 1), '')
            FROM (VALUES (60), (55), (50), (45), (40), (35), (30), (25), (20), (15), (10), (5), (0)))
    ELSE coalesce(session, '') END AS session,
    shared.text AS origin,
    CASE typeof(undo_of) WHEN 'integer' THEN
        'do_' || (SELECT group_concat(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (undo_of >> column1 & 31) + 1, 1), '')
            FROM (VALUES (60), (55), (50), (45), (40), (35), (30), (25), (20), (15), (10), (5), (0)))
    ELSE undo_of END AS undo_of,
    CASE typeof(digest) WHEN 'blob' THEN 'sha256:' || lower(hex(digest)) ELSE digest END AS digest,
    long_body AS body,
    long_marks AS marks
FROM written JOIN shared ON shared.id = written.origin
ORDER BY key;

-- The commits with all values written out.
CREATE VIEW trail AS
SELECT
    seq,
    strftime('%Y-%m-%dT%H:%M:%S', time / 1000000, 'unixepoch') || CASE time % 1000
        WHEN 0 THEN printf('.%03dZ', time / 1000 % 1000) ELSE printf('.%06dZ', time % 1000000) END AS time,
    event,
    coalesce(more, json_object('actions', json_array(json_object(
        'id', 'do_' || (SELECT group_concat(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (action >> column1 & 31) + 1, 1), '')
            FROM (VALUES (60), (55), (50), (45), (40), (35), (30), (25), (20), (15), (10), (5), (0))),
        'row', lower(hex(row)), 'state', state, 'turn', turn)))) AS members,
    lower(hex(hash)) AS hash
FROM audit
ORDER BY seq;
