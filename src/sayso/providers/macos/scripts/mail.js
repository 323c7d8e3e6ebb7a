// Reads and changes the messages of Mail. No search runs in Mail itself, which would stop for it: columns of a mailbox
// are read by one call each, and chosen from here. An id finds its message in any mailbox, so where it is is checked.
const ROLES = [["inbox", "inbox"], ["sent", "sentMailbox"], ["drafts", "draftsMailbox"]];
const HIDDEN = [["trash", "trashMailbox"], ["junk", "junkMailbox"]];
const ARCHIVES = ["archive", "archives", "all mail", "archiv", "alle nachrichten", "archivio", "archivo", "arquivo",
    "archief", "tous les messages"];

function textOf(value) {
    return value === null || value === undefined ? "" : String(value);
}

// Return an account or mailbox by its name, as its place may change; only where a name is there twice, by its place.
const named = (all, names, at) => (names.indexOf(names[at]) === names.lastIndexOf(names[at])
    ? all.byName(names[at]) : all[at]);

// Return the mailboxes of the accounts and of this Mac, each with its name; a second one of a name has its account's too.
function ownBoxes(mail) {
    const found = [];
    const names = new Set();
    const walk = (parent, path, account) => {
        const below = parent.mailboxes.name();
        below.forEach((name, at) => {
            const inner = path.concat([name]);
            const archive = account && ARCHIVES.includes(name.toLowerCase());
            let shown = archive ? "archive" : inner.join("/");
            if (!archive && names.has(shown)) shown = `${account || "On My Mac"}/${shown}`;
            names.add(shown);
            const box = named(parent.mailboxes, below, at);
            found.push({ name: shown, box });
            walk(box, inner, account);
        });
    };
    const enabled = mail.accounts.enabled();
    const accounts = mail.accounts.name();
    accounts.forEach((name, at) => enabled[at] && walk(named(mail.accounts, accounts, at), [], name));
    walk(mail, [], "");
    return found;
}

const withRole = (mail, roles) => roles.map(([name, property]) => ({ name, box: mail[property], role: true }));

// Return the mailboxes in the order in which they are looked at. A message of Mail's own mailboxes, such as the inbox, is
// in a mailbox of its account too: there it is left out.
function boxesToRead(mail, names, first) {
    const roles = withRole(mail, ROLES);
    const hidden = withRole(mail, HIDDEN);
    if (names && names.every((name) => [...ROLES, ...HIDDEN].some(([role]) => role === name))) {
        return [...roles, ...hidden].filter((one) => names.includes(one.name));
    }
    const all = [...roles, ...ownBoxes(mail), ...hidden];
    const wanted = names ? all.filter((one) => names.includes(one.name)) : all;
    return [...wanted.filter((one) => first.includes(one.name)), ...wanted.filter((one) => !first.includes(one.name))];
}

function idsWithRole(mail) {
    const found = new Set();
    for (const { box } of withRole(mail, [...ROLES, ...HIDDEN])) for (const id of box.messages.id()) found.add(id);
    return found;
}

// Return the columns of a mailbox that belong together: none came or went in between.
function together(messages, names) {
    for (let tries = 0; tries < 3; tries += 1) {
        const ids = messages.id();
        const read = { ids };
        if (ids.length > 0) for (const name of names) read[name] = messages[name]();
        if (JSON.stringify(messages.id()) === JSON.stringify(ids)) return read;
    }
    return fail(-2700, "the messages keep changing");
}

// Return the rows of a mailbox that are wanted: by id, time and read state.
function choose(messages, data, elsewhere) {
    const first = together(messages, data.ids ? ["messageId"] : ["dateReceived", "readStatus"]);
    const rows = first.ids.map((uid, at) => at).filter((at) => {
        if (elsewhere && elsewhere.has(first.ids[at])) return false;
        if (data.ids) return data.ids.includes(textOf(first.messageId[at])) || data.uids.includes(String(first.ids[at]));
        const time = +first.dateReceived[at];
        return (data.after === null || time >= data.after) && (data.before === null || time < data.before)
            && (data.unread === null || first.readStatus[at] === !data.unread);
    });
    return rows.map((at) => first.ids[at]);
}

const COLUMNS = ["messageId", "subject", "sender", "dateReceived", "readStatus", "flaggedStatus", "messageSize",
    "deletedStatus"];

function readBox(one, data, elsewhere) {
    const wanted = new Set(choose(one.box.messages, data, elsewhere));
    if (wanted.size === 0) return { name: one.name, matching: 0, messages: [] };
    const read = together(one.box.messages, COLUMNS);
    const rows = read.ids.map((uid, at) => ({
        uid: String(uid),
        id: textOf(read.messageId[at]),
        subject: textOf(read.subject[at]),
        sender: textOf(read.sender[at]),
        at: read.dateReceived[at] === null ? null : +read.dateReceived[at],
        read: read.readStatus[at] === true,
        flagged: read.flaggedStatus[at] === true,
        size: read.messageSize[at] || 0,
        gone: read.deletedStatus[at] === true,
    })).filter((row) => wanted.has(Number(row.uid)) && !row.gone);
    rows.sort((row, other) => other.at - row.at);
    return { name: one.name, matching: rows.length, messages: rows.slice(0, data.most) };
}

function list(mail, data) {
    let elsewhere = null;
    const found = [];
    const missing = new Set([...(data.ids || []), ...(data.uids || [])]);
    for (const one of boxesToRead(mail, data.boxes, data.first)) {
        if (!one.role && elsewhere === null) elsewhere = idsWithRole(mail);
        const read = readBox(one, data, one.role ? null : elsewhere);
        if (read.matching) found.push(read);
        for (const row of read.messages) {
            missing.delete(row.id);
            missing.delete(row.uid);
        }
        if (data.ids && missing.size === 0) break;
    }
    return found;
}

// Return the only mailbox of this name that has the message, and the message; null if it is in none.
function locate(mail, boxes, item) {
    for (const one of boxes.filter((each) => each.name === item.mailbox)) {
        one.ids = one.ids || new Set(one.box.messages.id());
        if (one.ids.has(Number(item.uid))) {
            const message = one.box.messages.byId(Number(item.uid));
            if (textOf(message.messageId()) === item.id) return { box: one.box, message };
        }
    }
    return null;
}

function boxesOf(mail, items) {
    return boxesToRead(mail, Array.from(new Set(items.map((item) => item.mailbox))), []);
}

function people(recipients) {
    const names = recipients.name();
    return recipients.address().map((address, at) => ({ name: textOf(names[at]), address: textOf(address) }));
}

// A message that was not fetched from the server yet has no text; that is no reason to show none of the others.
function content(message) {
    try {
        return textOf(message.content());
    } catch (error) {
        if (error.errorNumber === -10000) return null;
        throw error;
    }
}

function details(mail, data) {
    const boxes = boxesOf(mail, data.items);
    return data.items.map((item) => {
        const place = locate(mail, boxes, item);
        if (!place) return null;
        const { message } = place;
        const text = content(message);
        return {
            to: people(message.toRecipients),
            cc: people(message.ccRecipients),
            text: text === null ? null : text.slice(0, data.most),
            left: text === null ? 0 : Math.max(0, text.length - data.most),
            files: message.mailAttachments.name().map(textOf),
        };
    });
}

// Return the number of the first message that is not as it should be, or -1.
function firstOdd(places, items) {
    return items.findIndex((item, at) => {
        const place = places[at];
        if (!place) return true;
        return (item.read !== null && place.message.readStatus() !== item.read)
            || (item.starred !== null && place.message.flaggedStatus() !== item.starred);
    });
}

// Return the mailbox of an account with one of these names in lower case, or null.
function boxOf(parent, names) {
    const below = parent.mailboxes.name();
    const at = below.findIndex((name) => names.includes(name.toLowerCase()));
    if (at >= 0) return named(parent.mailboxes, below, at);
    for (let number = 0; number < below.length; number += 1) {
        const found = boxOf(named(parent.mailboxes, below, number), names);
        if (found) return found;
    }
    return null;
}

// Return where a message is to be moved, or null. A missing archive is made if `make`.
function target(mail, message, to, make) {
    const role = [...ROLES, ...HIDDEN].find(([name]) => name === to);
    if (role && to !== "inbox") return mail[role[1]];
    const account = message.mailbox().account();
    if (to === "inbox") return boxOf(account, ["inbox"]);
    if (to !== "archive") return (ownBoxes(mail).find((one) => one.name === to) || { box: null }).box;
    const there = boxOf(account, ARCHIVES);
    if (there || !make) return there;
    changing();
    mail.make({ new: "mailbox", at: account, withProperties: { name: "Archive" } });
    return boxOf(account, ARCHIVES);
}

// Return the new id of each message, which a moved one gets as soon as Mail has moved it.
function arrived(mail, data, before) {
    const found = data.items.map(() => null);
    for (let tries = 0; tries < data.tries; tries += 1) {
        if (tries > 0) delay(0.5);
        for (const { box } of boxesToRead(mail, [data.to], [])) {
            const { ids, messageId } = together(box.messages, ["messageId"]);
            ids.forEach((uid, number) => {
                const at = data.items.findIndex((item, index) => item.id === textOf(messageId[number])
                    && (found[index] === null || found[index] === String(uid)));
                if (at >= 0 && !before.has(uid)) found[at] = String(uid);
            });
        }
        if (found.every((uid) => uid !== null)) break;
    }
    return found;
}

function move(mail, data, places) {
    const before = new Set();
    for (const { box } of boxesToRead(mail, [data.to], [])) for (const id of box.messages.id()) before.add(id);
    const to = places.map((place) => target(mail, place.message, data.to, true));
    if (to.some((box) => box === null)) return { odd: -1, refused: "no mailbox" };
    changing();
    places.forEach((place, at) => {
        if (data.to === "trash") mail.delete(place.message);
        else mail.move(place.message, { to: to[at] });
    });
    return { odd: -1, moved: arrived(mail, data, before) };
}

function change(mail, data) {
    const boxes = boxesOf(mail, data.items);
    const places = data.items.map((item) => locate(mail, boxes, item));
    const odd = firstOdd(places, data.items);
    if (odd >= 0 || data.act === "check") return { odd };
    if (data.act === "move") return move(mail, data, places);
    const property = data.flag === "read" ? "readStatus" : "flaggedStatus";
    changing();
    for (const place of places) place.message[property] = data.on;
    return { odd: -1, set: places.every((place) => place.message[property]() === data.on) };
}

function main(data) {
    const mail = Application("com.apple.mail");
    switch (data.act) {
        case "list": return list(mail, data);
        case "details": return details(mail, data);
        case "source": {
            const place = locate(mail, boxesOf(mail, data.items), data.items[0]);
            return place ? textOf(place.message.source()) : null;
        }
        default: return change(mail, data);
    }
}
