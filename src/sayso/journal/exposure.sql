-- Version 4 of the journal: where each principal has read text of strangers. These rows are under the chain.

-- One row for each source that a principal has read. After that, sending something asks.
CREATE TABLE exposure (
    principal TEXT NOT NULL,        -- `terminal`, `mcp`, `mcp:claude`, `trigger:evening`, …
    session   TEXT NOT NULL,        -- the session in which it was read; '' if it was a run without one
    source    TEXT NOT NULL,        -- an operation, or a part of a prompt
    time      INTEGER NOT NULL,     -- when it was last read; microseconds since 1970 in UTC
    PRIMARY KEY (principal, session, source)
) WITHOUT ROWID;

-- What was read before there was this table, by all operations: which of them read text of strangers is not known here.
INSERT INTO exposure
SELECT
    CASE WHEN json_extract(shared.text, '$.entry') IN ('cli', 'commands', 'chat', 'command', 'template', 'undo')
        THEN 'terminal' ELSE json_extract(shared.text, '$.entry') END,
    coalesce(session, ''),
    operation,
    max(CASE typeof(time) WHEN 'integer' THEN time ELSE 0 END)
FROM action JOIN shared ON shared.id = origin
WHERE state IN ('done', 'unchanged', 'undone') AND operation <> ''
GROUP BY 1, 2, 3;

DROP TABLE heard;
