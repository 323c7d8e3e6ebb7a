// The bridge to Objective-C, only as far as sayso's scripts use it; every other name is an error.
// An object is wrapped as `{ objc: value }`; `ObjC.unwrap` returns the value.
const wrap = (value, members) => strict(
    Object.defineProperties({ isNil: () => value === undefined, [VALUE]: value },
        Object.getOwnPropertyDescriptors(members || {})), "an object of Objective-C");
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
            const { trash_refuses: refuses, trash_renames: renames } = sim.state;
            const answer = refuses ? { why: refuses, code: 3328 } : host({ ask: "trash", path: raw(url), renames });
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

// ---- applications and windows ----------------------------------------------------------------------------------

const url = (path) => (path ? object({ path: text(path) }) : nil());
const runningApp = (app) => object({
    processIdentifier: app.pid,
    activationPolicy: app.background ? 1 : 0,
    localizedName: text(app.name),
    bundleIdentifier: text(app.bundle),
    bundleURL: url(app.path),
    launchDate: app.started ? object({ timeIntervalSince1970: app.started + 0.5 }) : nil(),
    active: app.frontmost === true,
    get terminate() {
        sim.state.log.push([app.name, "asked to quit"]);
        if (!app.refusesToQuit) Object.assign(app, { running: false, frontmost: false, pid: 0, ui: [] });
        return true; // the request was sent
    },
});
const runningApps = () => sim.state.apps.filter((app) => app.running && app.pid);
const NSWorkspace = strict({
    sharedWorkspace: strict({
        get runningApplications() { return array(runningApps().map(runningApp)); },
    }, "NSWorkspace"),
}, "NSWorkspace");
const NSRunningApplication = strict({
    runningApplicationWithProcessIdentifier(pid) {
        const app = runningApps().find((one) => one.pid === pid);
        return app ? runningApp(app) : nil();
    },
}, "NSRunningApplication");
const NSScreen = strict({
    get screens() {
        const height = sim.state.monitors[0].edges[3];
        return array(sim.state.monitors.map(({ name, edges: [x, top, width, tall] }) => object({
            localizedName: text(name),
            frame: { origin: { x, y: height - top - tall }, size: { width, height: tall } },
        })));
    },
}, "NSScreen");

// All windows, those of the application in front first.
function windowList() {
    const apps = runningApps().sort((one, other) => Number(other.frontmost === true) - Number(one.frontmost === true));
    return wrap(apps.flatMap((app) => app.ui.map((window) => ({
        kCGWindowNumber: window.number,
        kCGWindowOwnerPID: app.pid,
        kCGWindowLayer: 0,
        kCGWindowBounds: {
            X: window.position[0], Y: window.position[1], Width: window.size[0], Height: window.size[1],
        },
    }))));
}

const FRAMEWORKS = {
    CoreGraphics: {
        CGWindowListCopyWindowInfo: windowList,
        CGEventSourceSecondsSinceLastEventType: () => sim.state.idle,
    },
    Foundation: { NSUTF8StringEncoding: 4, NSString, NSURL, NSData, NSBundle, NSFileManager },
    AppKit: { NSPasteboardTypeString: PLAIN_TEXT, NSPasteboard, NSPasteboardItem, NSWorkspace, NSRunningApplication, NSScreen },
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
