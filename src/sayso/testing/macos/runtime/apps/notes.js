// Notes: a note's HTML is its content; name and plain text follow from it, and a removed note goes to a folder of its own.
(function () {
    const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#13": "\r" };
    const BLOCK = /<(div|h[1-3]|p|li|ul|ol)\b[^>]*>|<\/(div|h[1-3]|p|li|ul|ol)>|<br\b[^>]*>|<[^>]*>/g;
    const decoded = (text) => text.replace(/&(#?\w+);/g, (all, name) => (name in ENTITIES ? ENTITIES[name] : all));

    // One line for each outermost element.
    function lines(html) {
        const found = [];
        let depth = 0;
        let line = "";
        let at = 0;
        for (const tag of html.matchAll(BLOCK)) {
            if (depth > 0) line += html.slice(at, tag.index);
            at = tag.index + tag[0].length;
            if (tag[1]) depth += 1;
            if (tag[2]) {
                depth -= 1;
                if (depth === 0) {
                    found.push(decoded(line));
                    line = "";
                }
            }
        }
        return found;
    }

    const plain = (note) => lines(note.body || "").join("\n");
    const removed = (app) => app.record.accounts[0].folders.find((folder) => folder.removed);
    const identify = (kind) => (record) => {
        record.id = record.id || `x-coredata://0A1B/${kind}/p${record["@"]}`;
    };

    sim.behave("Notes", {
        getters: {
            "note.name": (note) => lines(note.body || "")[0] || "New Note",
            "note.plaintext": (note) => {
                if (note.passwordProtected) throw numbered(-10000, "AppleEvent handler failed.");
                return plain(note);
            },
            "note.body": (note) => (note.passwordProtected ? "" : note.body),
            "note.container": (note, app) => app.parentOf(note)[0],
            "folder.container": (folder, app) => app.parentOf(folder)[0],
            "application.defaultAccount": (record) => record.accounts[0],
            "account.defaultFolder": (account) => account.folders.find((folder) => !folder.removed),
        },
        setters: {
            // Notes writes each element on a line of its own.
            "note.body": (note, html) => { note.body = html.replace(/<\/div>(?=<)/g, "</div>\n"); },
            "note.name": (note, name) => { note.body = `<div><h1>${name}</h1></div>` + (note.body || ""); },
        },
        created: {
            note: identify("ICNote"),
            folder: identify("ICFolder"),
        },
        commands: {
            delete(target, _, app) {
                const record = target.single();
                const place = app.parentOf(record);
                remove(app, record);
                if (record["#"] === "note" && !place[0].removed) removed(app).notes.push(record);
            },
        },
    });
})();
