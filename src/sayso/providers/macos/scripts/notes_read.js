// Returns the accounts, folders and notes of Notes. Each column of a folder is read by one call.
function texts(notes, count) {
    try {
        return notes.plaintext();
    } catch (error) {
        if (error.errorNumber === -1743 || error.errorNumber === -1712) throw error;
    }
    // The text of a locked note cannot be read, and may make the whole column fail.
    const found = [];
    for (let at = 0; at < count; at += 1) {
        try {
            found.push(notes[at].plaintext());
        } catch (error) {
            found.push(null);
        }
    }
    return found;
}

function columns(notes) {
    for (let tries = 0; tries < 3; tries += 1) {
        const ids = notes.id();
        if (ids.length === 0) return { ids, names: [], texts: [], locked: [] };
        const read = { ids, names: notes.name(), locked: notes.passwordProtected(), texts: texts(notes, ids.length) };
        // If a note came or went in between, the columns do not belong together.
        if (JSON.stringify(notes.id()) === JSON.stringify(ids)) return read;
    }
    return fail(-2700, "the notes keep changing");
}

// A folder and an account are named by their ids, as their places may change.
function collect(app, folders, parent, known) {
    const ids = folders.id();
    const names = folders.name();
    ids.forEach((id, at) => {
        const seen = known.get(id);
        if (seen) {
            // An account may list folders of folders too.
            seen.parent = seen.parent || parent;
            return;
        }
        const folder = app.folders.byId(id);
        known.set(id, { id, name: names[at], parent, notes: columns(folder.notes) });
        collect(app, folder.folders, id, known);
    });
}

function main() {
    const app = Application("com.apple.Notes");
    const standard = app.defaultAccount().id();
    const ids = app.accounts.id();
    const names = app.accounts.name();
    return ids.map((id, at) => {
        const account = app.accounts.byId(id);
        const known = new Map();
        collect(app, account.folders, null, known);
        return {
            id,
            name: names[at],
            standard: id === standard,
            folder: account.defaultFolder().id(),
            folders: Array.from(known.values()),
        };
    });
}
