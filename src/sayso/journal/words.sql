-- The index of the words of the journal, a file beside it (`words.db`). It is made from the journal and can be deleted
-- at any time; `word_index.py` says how it is used. It is no part of the chain: what is found is read in the journal.

-- A stretch of the journal: the actions with keys from `low` to the next stretch, and in which order they stand.
CREATE TABLE part (
    low  INTEGER PRIMARY KEY,
    keys BLOB NOT NULL              -- the keys, 8 bytes each; an action is named below by its place in this list
);

-- In which actions of a stretch a word occurs: their places as 2 bytes each or, if that is shorter, as a map with one
-- bit for each place. The length of a list is even, that of a map odd.
CREATE TABLE word (
    part INTEGER NOT NULL,
    word TEXT NOT NULL,             -- a word in lower case, or `=` and what a filter asks for, such as `=sdone`
    rows BLOB NOT NULL,
    PRIMARY KEY (part, word)
) WITHOUT ROWID;

-- The words of a stretch of three characters and more, each between two line feeds, so that a search finds those that
-- have something inside. They stand in several rows, so that a new word is added without writing all of them again.
CREATE TABLE vocabulary (
    part  INTEGER NOT NULL,
    n     INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (part, n)
) WITHOUT ROWID;

-- Which keys are not in the index yet, from `low` to `high`. They are not read before the chain of the journal has a
-- row after `after`: what is to be forgotten is taken out of the index first, and must not come back before it is gone.
CREATE TABLE unread (
    low   INTEGER PRIMARY KEY,
    high  INTEGER NOT NULL,
    after INTEGER NOT NULL
);

-- Of which journal this is the index, and up to which row of its chain.
CREATE TABLE mark (
    origin TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    hash   BLOB NOT NULL
);
