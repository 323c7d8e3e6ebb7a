// The bridge to Objective-C, only as far as sayso's scripts use it; every other name is an error.
// An object is wrapped as `{ objc: value }`; `ObjC.unwrap` returns the value.
const wrap = (value, members) => strict(
    { isNil: () => value === undefined, ...members, [VALUE]: value }, "an object of Objective-C");
const VALUE = Symbol("value");
const nil = () => wrap(undefined);
const raw = (value) => (value !== null && typeof value === "object" && VALUE in value ? value[VALUE] : value);

function strict(object, what) {
    return new Proxy(object, {
        get(target, name) {
            if (typeof name === "symbol" || name in target || IGNORED.has(name)) return target[name];
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

const array = (items) => wrap(items, { count: items.length, objectAtIndex: (at) => items[at] });

// ---- frameworks ------------------------------------------------------------------------------------------------

const object = (members) => wrap(members, members);
const text = (value) => (value === undefined || value === null ? nil() : wrap(value));
const NSString = strict({
    stringWithContentsOfFileEncodingError: (path) => text(host({ ask: "read", path: raw(path) }).text),
}, "NSString");
const NSURL = strict({ fileURLWithPath: (path) => wrap(raw(path), { path: wrap(raw(path)) }) }, "NSURL");
const NSData = strict({
    alloc: strict({
        initWithBase64EncodedStringOptions: (base64) => data(raw(base64)),
    }, "NSData"),
}, "NSData");
const NSBundle = strict({
    bundleWithPath(path) {
        const app = sim.state.apps.find((one) => one.path === raw(path));
        return app ? object({ bundleIdentifier: text(app.bundle), bundlePath: text(app.path) }) : nil();
    },
}, "NSBundle");
const NSFileManager = strict({
    defaultManager: strict({
        contentsOfDirectoryAtPathError(path) {
            const folder = `${raw(path)}/`;
            const inside = sim.state.apps.filter((app) => app.path.startsWith(folder))
                .map((app) => app.path.slice(folder.length).split("/")[0]);
            return inside.length ? wrap([...new Set(inside)]) : nil();
        },
        displayNameAtPath: (path) => text(raw(path).split("/").pop().replace(/\.app$/, "")),
        trashItemAtURLResultingItemURLError(url, result, error) {
            const answer = host({ ask: "trash", path: raw(url) });
            if (answer.why) {
                if (error) error[0] = object({ code: answer.code, localizedDescription: text(answer.why) });
                return false;
            }
            if (result) result[0] = wrap(answer.path, { path: text(answer.path) });
            return true;
        },
    }, "NSFileManager"),
}, "NSFileManager");

const data = (base64) => wrap({ base64 }, {
    length: Math.floor(base64.length / 4) * 3,
    base64EncodedStringWithOptions: () => text(base64),
});

const PLAIN_TEXT = "public.utf8-plain-text";
const NSPasteboard = strict({ get generalPasteboard() { return pasteboard(); } }, "NSPasteboard");
const NSPasteboardItem = strict({
    alloc: strict({
        get init() {
            const types = {};
            return wrap({ types }, {
                setDataForType(value, type) {
                    types[raw(type)] = raw(value).base64;
                    return true;
                },
            });
        },
    }, "NSPasteboardItem"),
}, "NSPasteboardItem");

const FRAMEWORKS = {
    Foundation: { NSUTF8StringEncoding: 4, NSString, NSURL, NSData, NSBundle, NSFileManager },
    AppKit: { NSPasteboardTypeString: PLAIN_TEXT, NSPasteboard, NSPasteboardItem },
};

// Text becomes a wrapped string, and a list of wrapped objects a wrapped list.
const $ = new Proxy((value) => (value === undefined ? nil() : wrap(value)), {
    get(_, name) {
        if (typeof name === "symbol" || IGNORED.has(name)) return undefined;
        for (const framework of imported) {
            if (!(framework in FRAMEWORKS)) sim.unknown(`framework ${framework}`);
            if (name in FRAMEWORKS[framework]) return FRAMEWORKS[framework][name];
        }
        return sim.unknown(`$.${name}; was its framework imported?`);
    },
});

const Ref = () => [];

// The clipboard of the state is `{ items: [{ type: data in base64 }], changes }`.
function pasteboard() {
    const board = sim.state.clipboard;
    const encoded = (value) => host({ ask: "base64", text: value }).base64;
    const itemOf = (types) => object({
        types: array(Object.keys(types)),
        dataForType: (type) => (types[raw(type)] === null ? nil() : data(types[raw(type)])),
    });
    return strict({
        get types() { return array([...new Set(board.items.flatMap((types) => Object.keys(types)))]); },
        get changeCount() { return board.changes; },
        get pasteboardItems() { return array(board.items.map(itemOf)); },
        get clearContents() {
            board.items = [];
            board.changes += 1;
            return board.changes;
        },
        stringForType(type) {
            const found = board.items.find((types) => raw(type) in types);
            return found ? text(host({ ask: "text", base64: found[raw(type)] }).text) : nil();
        },
        setStringForType(value, type) {
            board.items = [{ [raw(type)]: encoded(raw(value)) }];
            return true;
        },
        writeObjects(objects) {
            board.items = raw(objects).map((one) => raw(one).types);
            return true;
        },
    }, "NSPasteboard");
}
