// Writes a mail in Mail: it opens a window with it, or sends it, if all of it is there as it should be.
const KINDS = [["to", "toRecipients", "ToRecipient"], ["cc", "ccRecipients", "CcRecipient"],
    ["bcc", "bccRecipients", "BccRecipient"]];

function sorted(addresses) {
    return JSON.stringify(addresses.map((one) => String(one).toLowerCase()).sort());
}

function begin(mail, data) {
    const properties = { visible: data.act === "open", subject: data.subject };
    if (data.sender) properties.sender = data.sender;
    const made = mail.OutgoingMessage(properties);
    mail.outgoingMessages.push(made);
    return made;
}

function fill(mail, made, data) {
    // Mail loses a text that is given to a new message.
    made.content = data.body;
    for (const [kind, recipients, cls] of KINDS) {
        for (const one of data[kind]) made[recipients].push(mail[cls](one.name ? one : { address: one.address }));
    }
}

function isWhole(made, data) {
    return made.subject() === data.subject
        && String(made.content()).trimEnd() === data.body.trimEnd()
        && KINDS.every(([kind, recipients]) => sorted(made[recipients].address()) === sorted(data[kind].map((one) => one.address)));
}

function knowsSender(mail, address) {
    return mail.accounts.emailAddresses().flat().some((one) => String(one).toLowerCase() === address.toLowerCase());
}

function waits(mail, data) {
    for (let tries = 0; tries < data.tries; tries += 1) {
        if (tries > 0) delay(0.5);
        if (!mail.outbox.messages.subject().includes(data.subject)) return false;
    }
    return true;
}

function main(data) {
    const mail = Application("com.apple.mail");
    if (data.act === "open") {
        changing();
        const made = begin(mail, data);
        fill(mail, made, data);
        mail.activate();
        return { id: String(made.id()), whole: isWhole(made, data) };
    }
    if (!knowsSender(mail, data.address)) return { refused: "no account" };
    const made = begin(mail, data);
    let whole = false;
    try {
        fill(mail, made, data);
        // What Mail still adds, such as a signature, would be sent too: it must be the same twice.
        whole = isWhole(made, data);
        if (whole) {
            delay(0.3);
            whole = isWhole(made, data);
        }
    } finally {
        if (!whole) made.close({ saving: "no" });
    }
    if (!whole) return { refused: "not whole" };
    changing();
    return { taken: made.send(), waits: waits(mail, data) };
}
