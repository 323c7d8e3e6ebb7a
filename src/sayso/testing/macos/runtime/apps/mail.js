// Mail: its inbox and the like show the mailboxes of all accounts; a moved message gets a new id, and an id finds its
// message wherever it is.
(function () {
    function visit(parent, each) {
        for (const box of parent.mailboxes || []) {
            each(box);
            visit(box, each);
        }
    }

    function boxes(app) {
        const found = [];
        for (const account of app.record.accounts) visit(account, (box) => found.push([box, account]));
        visit(app.record, (box) => found.push([box, null]));
        return found;
    }

    const byDate = (list) => list.slice().sort((one, other) => new Date(other.dateReceived) - new Date(one.dateReceived));
    const accountOf = (app, wanted) => (boxes(app).find(([box]) => box === wanted) || [])[1];
    const withRole = (app, account, role) => boxes(app).find(([box, of]) => of === account && box.is === role)[0];

    function put(app, message, box) {
        remove(app, message);
        message.id = sim.fresh();
        box.messages = box.messages || [];
        box.messages.push(message);
    }

    function transfer(app, message, to) {
        const from = app.parentOf(message)[0];
        const box = to.role ? withRole(app, accountOf(app, from), to.role) : to;
        if (box !== from) put(app, message, box);
    }

    const addresses = (record, kind) => (record[kind] || []).map((one) => ({ ...one, "@": sim.fresh() }));

    sim.behave("Mail", {
        everywhere: { message: (app) => boxes(app).flatMap(([box]) => box.messages || []) },
        elements: {
            "mailbox.messages": (box, app) => {
                if (!box.role) return byDate(box.messages || []);
                return byDate(boxes(app).filter(([one]) => one.is === box.role).flatMap(([one]) => one.messages));
            },
        },
        getters: {
            "application.inbox": (record) => record.unified.inbox,
            "application.sentMailbox": (record) => record.unified.sent,
            "application.draftsMailbox": (record) => record.unified.drafts,
            "application.trashMailbox": (record) => record.unified.trash,
            "application.junkMailbox": (record) => record.unified.junk,
            "application.outbox": (record) => record.unified.outbox,
            "mailbox.account": (box, app) => accountOf(app, box),
            "message.mailbox": (message, app) => app.parentOf(message)[0],
            "message.content": (message) => {
                if (message.unfetched) throw numbered(-10000, "AppleEvent handler failed.");
                return message.content;
            },
        },
        setters: {
            "message.mailbox": (message, to, app) => transfer(app, message, to[NODE].single()),
        },
        created: {
            mailbox: (box) => { box.messages = []; },
            // A text that is given to a new message is lost.
            outgoingMessage: (made) => {
                made.content = "";
                made.id = made["@"];
            },
        },
        commands: {
            move(target, { to }, app) {
                transfer(app, target.single(), to[NODE].single());
            },
            delete(target, _, app) {
                const message = target.single();
                const from = app.parentOf(message)[0];
                if (from.is === "trash") remove(app, message);
                else put(app, message, withRole(app, accountOf(app, from), "trash"));
            },
            send(target, _, app) {
                const made = target.single();
                const address = /<([^>]*)>$/.exec(made.sender || "") || [null, made.sender];
                const account = app.record.accounts.find((one) => !made.sender || one.emailAddresses.includes(address[1]));
                if (!account) return false;
                remove(app, made);
                const now = sim.fresh();
                withRole(app, account, app.record.offline ? "outbox" : "sent").messages.push({
                    "#": "message", "@": now, id: now, messageId: `${now}@mail.example`, subject: made.subject,
                    sender: made.sender, content: made.content, dateReceived: new Date().toISOString(), readStatus: true,
                    flaggedStatus: false, deletedStatus: false, messageSize: made.content.length, source: "",
                    toRecipients: addresses(made, "toRecipients"), ccRecipients: addresses(made, "ccRecipients"),
                    bccRecipients: addresses(made, "bccRecipients"), mailAttachments: [],
                });
                return true;
            },
        },
    });
})();
