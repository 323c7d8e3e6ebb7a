// The bridge to Objective-C, only as far as sayso's scripts use it; every other name is an error.
// An object is wrapped as `{ objc: value }`; `ObjC.unwrap` returns the value.
const wrap = (value, members) => strict(Object.assign(Object.create(null), members || {}, { [VALUE]: value }), "an object of Objective-C");
const VALUE = Symbol("value");
const nil = () => wrap(undefined);
const raw = (value) => (value !== null && typeof value === "object" && VALUE in value ? value[VALUE] : value);

function strict(object, what) {
    return new Proxy(object, {
        get(target, name) {
            if (typeof name === "symbol" || name in target || IGNORED.has(name)) {
                const found = Object.getOwnPropertyDescriptor(target, name);
                return found && found.get ? found.get() : target[name];
            }
            return sim.unknown(`“${name}” of ${what}`);
        },
        set(target, name, value) {
            if (!(name in target)) sim.unknown(`“${name}” of ${what}`);
            target[name] = value;
            return true;
        },
    });
}

const deep = (value) => {
    const plain = raw(value);
    if (Array.isArray(plain)) return plain.map(deep);
    if (plain !== null && typeof plain === "object" && !(plain instanceof Date)) {
        return Object.fromEntries(Object.entries(plain).map(([name, one]) => [name, deep(one)]));
    }
    return plain;
};

const imported = new Set(["Foundation"]);
const ObjC = {
    import: (name) => { imported.add(name); },
    unwrap: (value) => raw(value),
    deepUnwrap: deep,
    wrap: (value) => wrap(value),
    castRefToObject: (value) => value,
};

const array = (items) => wrap(items, {
    count: items.length,
    objectAtIndex: (at) => items[at],
});

// ---- frameworks ------------------------------------------------------------------------------------------------

const FRAMEWORKS = {
    Foundation: () => ({
        NSUTF8StringEncoding: 4,
        NSString: strict({
            stringWithContentsOfFileEncodingError(path) {
                const answer = host({ ask: "read", path: String(raw(path)) });
                return answer.text === null ? nil() : wrap(answer.text);
            },
        }, "NSString"),
        NSURL: strict({ fileURLWithPath: (path) => wrap(raw(path), { path: wrap(raw(path)) }) }, "NSURL"),
        NSFileManager: strict({
            defaultManager: strict({
                trashItemAtURLResultingItemURLError(url, result, error) {
                    const answer = host({ ask: "trash", path: raw(url) });
                    if (answer.why) {
                        if (error) error[0] = wrap(null, { code: answer.code, localizedDescription: wrap(answer.why) });
                        return false;
                    }
                    if (result) result[0] = wrap(answer.path, { path: wrap(answer.path) });
                    return true;
                },
            }, "NSFileManager"),
        }, "NSFileManager"),
    }),
    AppKit: () => ({
        NSPasteboardTypeString: "public.utf8-plain-text",
        NSPasteboard: strict({ get generalPasteboard() { return pasteboard(); } }, "NSPasteboard"),
    }),
};
FRAMEWORKS.Cocoa = () => ({ ...FRAMEWORKS.Foundation(), ...FRAMEWORKS.AppKit() });

const $ = new Proxy((text) => (text === undefined ? nil() : wrap(text)), {
    get(_, name) {
        if (typeof name === "symbol" || IGNORED.has(name)) return undefined;
        for (const framework of imported) {
            const found = (FRAMEWORKS[framework] || (() => ({})))();
            if (name in found) return found[name];
        }
        return sim.unknown(`$.${name}; was its framework imported?`);
    },
});

const Ref = () => [];

function pasteboard() {
    const board = sim.state.clipboard; // {items: {type: base64 or text}, changes}
    return strict({
        get types() { return array(Object.keys(board.items)); },
        get changeCount() { return board.changes; },
        clearContents: (() => undefined),
        stringForType(type) {
            const found = board.items[raw(type)];
            return found === undefined ? nil() : wrap(found.text);
        },
        dataForType(type) {
            const found = board.items[raw(type)];
            if (found === undefined) return nil();
            const encoded = host({ ask: "base64", text: found.text, base64: found.base64 }).base64;
            return wrap(encoded, { length: encoded.length, base64EncodedStringWithOptions: () => wrap(encoded) });
        },
    }, "NSPasteboard");
}
