// Makes, rewrites or removes one note, if it is as expected; returns the note as it is then.
function seen(note) {
    return { id: note.id(), name: note.name(), text: note.plaintext(), html: note.body(), folder: note.container().id() };
}

// Return why the note may not be changed, or null.
function refusal(note, data) {
    if (!note.exists()) return { refused: "gone" };
    if (note.passwordProtected()) return { refused: "locked" };
    if (note.body() !== data.was || note.container().id() !== data.folder) return { refused: "changed" };
    return null;
}

function main(data) {
    const app = Application("com.apple.Notes");
    if (data.act === "look") {
        const note = app.notes.byId(data.id);
        if (!note.exists()) return { refused: "gone" };
        if (note.passwordProtected()) return { refused: "locked" };
        return { note: seen(note), files: note.attachments.length };
    }
    if (data.act === "make") {
        const folder = app.folders.byId(data.folder);
        if (!folder.exists()) return { refused: "no folder" };
        changing();
        return { note: seen(app.make({ new: "note", at: folder, withProperties: { body: data.html } })) };
    }
    const note = app.notes.byId(data.id);
    const no = refusal(note, data);
    if (no) return no;
    changing();
    if (data.act === "remove") {
        app.delete(note);
        return { note: null };
    }
    note.body = data.html;
    return { note: seen(note) };
}
