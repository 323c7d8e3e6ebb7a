-- The journal of sayso: what was proposed, decided and done, and a chain of hashes over it.
--
-- To read it with a plain `sqlite3`, use the two views at the end: `history` (one row per action) and
-- `trail` (one row per commit). They write everything out; the tables below keep it small.
--
-- This is version 1; what later versions add stands beside it, each in a file of its own (`database.py`):
-- `sessions.sql` holds what was said, `triggers.sql` what is kept of automations.
--
-- Two rules: an action moves on only by `UPDATE … WHERE key = ? AND turn = ?`, so that of many processes
-- one wins; and every commit writes exactly one row of `audit`, in the same transaction.

-- One action: a proposal on its way from wish to outcome.
CREATE TABLE action (
    key       INTEGER PRIMARY KEY,  -- time-ordered; `do_` and its 13 base-32 characters are the action's id
    run       NOT NULL,             -- key of its run, which is that of the run's first action as a rule;
                                    -- another text than `run_…` stands as it is
    idx       INTEGER NOT NULL,     -- its place in the run, from 0
    state     TEXT NOT NULL,        -- waiting running done unchanged failed refused declined expired
                                    -- invalid skipped unknown planned undone
    turn      INTEGER NOT NULL,     -- how often it has moved on
    back      INTEGER NOT NULL,     -- 1 when some of it was done and can be taken back, -1 while it waits or runs
                                    -- and is noted for that
    operation TEXT NOT NULL,        -- empty when it could not be understood
    time      NOT NULL,             -- microseconds since 1970 in UTC, as every time here
    origin    INTEGER NOT NULL,     -- → shared: dialect, entry, policy's hash, the backends that served
    session   TEXT,                 -- NULL when it has none, '' when that is its run alone
    undo_of   ,                     -- key of the action that this one takes back
    expires   ,                     -- until when a decision is waited for
    digest    ,                     -- SHA-256 (32 bytes) of what a person approves
    marks     TEXT NOT NULL,        -- JSON of what changes: outcome of each change and what it left, times, sentences
    a TEXT, b TEXT, c TEXT, d TEXT, -- JSON text of this row that characters 1 to 4 stand for in marks and body
    body      TEXT NOT NULL         -- JSON of the rest: what was said, arguments, label, plan, verdict; written anew
                                    -- only when it is planned or judged later, or redacted because it has ended
);

-- What waits or runs for longer: found at once in a journal of any size. Most actions have ended before they
-- are noted here; up to which key that was done stands in `meta` as `noted`, and the few rows after it are
-- looked through.
CREATE INDEX live ON action (idx) WHERE back < 0;

-- What has ended, for the history's filters and for “undo the last”.
CREATE INDEX ended ON action (operation, state, back) WHERE state NOT IN ('waiting', 'running');

-- The actions of a run; the one whose key the run has is found by that.
CREATE INDEX of_run ON action (run) WHERE run <> key;

CREATE INDEX of_session ON action (session) WHERE session > '';

-- JSON that many actions share.
CREATE TABLE shared (
    id   INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);

-- Which operations were done in which session: whether text of strangers may have been read in it.
-- Where the session is a run alone, the actions of that run tell.
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
    body    TEXT NOT NULL           -- JSON of the rest: what never changes, when it was last used, who revoked it
) WITHOUT ROWID;

-- The chain, one row per commit:
--   record = RFC 8785 JSON of {"actions": [{"id", "row", "state", "turn"}, …], "event", "seq", "time"}
--   hash   = SHA-256(byte 0, hash of the row before, record)
-- `row` of an action is two times 16 bytes: the start of the SHA-256 of its content, and of state, turn and
-- marks, so that a later change to either is found. When sayso itself writes the content anew, the record says
-- so (`"anew": true`). The other columns, and `heard`, can be worked out from what is hashed; the record of a
-- removal of old rows also has `heard`, and a hash of the anchors before.
CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY,
    time   INTEGER NOT NULL,
    event  TEXT NOT NULL,
    action INTEGER, turn INTEGER, state TEXT, row BLOB, -- when the commit was about one action …
    more   TEXT,                                        -- … else the record's other members, as JSON
    hash   BLOB NOT NULL
);

-- Where the chain starts: row 0 when the journal was made, then one row for each time old rows were removed.
CREATE TABLE anchor (
    seq     INTEGER PRIMARY KEY,    -- the last audit row that was removed
    hash    BLOB NOT NULL,          -- its hash
    removed INTEGER NOT NULL,       -- how many actions went with it
    time    INTEGER NOT NULL
);

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,         -- `origin`: this journal's own name, in checkpoints; `created`; `noted`
    value NOT NULL
) WITHOUT ROWID;

-- JSON text that stands in most rows and is written there as one character (5 to 31). Never changed:
-- a journal is read with the texts it was written with.
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

-- An action written out. `body` and `marks` are JSON, times are ISO 8601, hashes are hex.
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

-- A commit written out.
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
