// Tabs and pages of Safari and of browsers of the Chrome family: lists them, changes them, and runs a function in a page.
// Chrome's tabs have ids. A tab of Safari is known by its window, its place there and its address, which are checked
// again before each change.
const GONE = [-1728, -1719];
let app, safari;

function main(data) {
    ObjC.import("AppKit");
    safari = data.kind === "safari";
    app = Application(process(data.bundle) || started(data));
    return { list, open, navigate, front, close, reopen, page }[data.do](data);
}

// Several processes may be of one browser, such as one that a test tool started: the one in front is meant, else the
// one that was started first. A name alone would mean any of them.
function process(bundle) {
    const running = $.NSWorkspace.sharedWorkspace.runningApplications;
    let found = null;
    for (let at = 0; at < running.count; at += 1) {
        const one = running.objectAtIndex(at);
        if (ObjC.unwrap(one.bundleIdentifier) !== bundle) continue;
        if (found === null || (Boolean(one.active) && !found.active)) {
            found = { pid: Number(one.processIdentifier), active: Boolean(one.active) };
        }
    }
    return found === null ? null : found.pid;
}

// Starts the browser for an address that is to be opened, and only for that; returns its process.
function started({ bundle, do: what }) {
    if (what !== "open") fail(-600, "it is not running");
    Application(bundle).activate();
    for (let tries = 0; tries < 40; tries += 1) {
        const pid = process(bundle);
        if (pid !== null) return pid;
        delay(0.25);
    }
    return fail(-600, "it does not start");
}

function tabsOf(window) {
    const tabs = window.tabs;
    const urls = tabs.url();
    const titles = safari ? tabs.name() : tabs.title();
    const ids = safari ? urls.map(() => "") : tabs.id().map(String);
    const active = safari ? window.currentTab().index() : window.activeTabIndex();
    if (urls.length !== titles.length || urls.length !== ids.length) return null;
    return urls.map((url, at) => ({ id: ids[at], url: url || "", title: titles[at] || "", active: at + 1 === active }));
}

// Returns the windows, the one in front first. Safari also has windows without tabs, which are left out.
function list() {
    const windows = [];
    for (const id of app.windows.id()) {
        let tabs = null;
        for (let tries = 0; tries < 3 && tabs === null; tries += 1) {
            try {
                tabs = tabsOf(app.windows.byId(id));
            } catch (error) {
                if (!GONE.includes(error.errorNumber)) throw error;
                tabs = [];
            }
        }
        if (tabs === null) fail(-2700, "the tabs keep changing");
        if (tabs.length) windows.push({ id: String(id), tabs });
    }
    return { windows };
}

function windowOf(id) {
    const ids = app.windows.id();
    const found = ids.find((one) => String(one) === id);
    return found === undefined ? null : app.windows.byId(found);
}

// Returns the tab if it is still the one that was seen, or null.
function tabAt(wanted) {
    try {
        const window = windowOf(wanted.window);
        if (window === null) return null;
        if (safari) {
            const tab = window.tabs[wanted.place - 1];
            return tab.url() === wanted.url ? tab : null;
        }
        const at = window.tabs.id().map(String).indexOf(wanted.id);
        const tab = at < 0 ? null : window.tabs[at];
        return tab !== null && tab.url() === wanted.url ? tab : null;
    } catch (error) {
        if (GONE.includes(error.errorNumber)) return null;
        throw error;
    }
}

function placeOf(window, wanted) {
    return safari ? wanted.place : window.tabs.id().map(String).indexOf(wanted.id) + 1;
}

function show(window, place) {
    if (safari) window.currentTab = window.tabs[place - 1];
    else window.activeTabIndex = place;
}

// Returns the window and place of a new tab: the wanted place where the browser can do that, or else the last one.
function put(url, window, place) {
    const count = window.tabs.length;
    const before = place > 0 && place <= count ? window.tabs[place - 1] : null;
    if (before !== null) {
        try {
            app.make({ new: "tab", at: before.before, withProperties: { url } });
            return place;
        } catch (error) {
            if (window.tabs.length > count) throw error;
        }
    }
    window.tabs.push(app.Tab({ url }));
    return window.tabs.length;
}

// Returns a new window that shows the address. Another window may come to the front meanwhile, so the new one is told by
// its id: it is the only one that was not there before.
function newWindow(url) {
    const before = app.windows.id().map(String);
    if (safari) app.Document().make();
    else app.Window().make();
    const fresh = app.windows.id().filter((id) => !before.includes(String(id)));
    if (fresh.length !== 1) fail(-2700, "the new window cannot be told from others");
    const window = app.windows.byId(fresh[0]);
    window.tabs[0].url = url;
    return window;
}

function open({ url }) {
    const ids = list().windows.map((window) => window.id);
    changing();
    const window = ids.length ? windowOf(ids[0]) : newWindow(url);
    const place = ids.length ? put(url, window, 0) : 1;
    if (ids.length) show(window, place);
    app.activate();
    return { ...list(), made: [{ window: String(window.id()), place }] };
}

function navigate({ tab, url }) {
    const found = tabAt(tab);
    if (found === null) return { gone: true };
    changing();
    found.url = url;
    return list();
}

function front({ tab }) {
    if (tabAt(tab) === null) return { gone: true };
    changing();
    const window = windowOf(tab.window);
    show(window, placeOf(window, tab));
    window.index = 1;
    app.activate();
    return list();
}

// Closes all tabs or none, the last place first, because the places after a closed tab change.
function close({ tabs }) {
    if (tabs.some((tab) => tabAt(tab) === null)) return { gone: true };
    changing();
    for (const tab of tabs.slice().sort((one, other) => other.place - one.place)) {
        const found = tabAt(tab);
        if (found !== null) found.close();
    }
    return list();
}

function reopen({ tabs }) {
    const before = list().windows;
    changing();
    const active = new Map(before.map((window) => [window.id, window.tabs.findIndex((tab) => tab.active)]));
    const fresh = new Map();
    const made = [];
    for (const { url, window: id, place } of tabs) {
        const known = windowOf(id) || (fresh.has(id) ? windowOf(fresh.get(id)) : null);
        const window = known || newWindow(url);
        const at = known ? put(url, window, place) : 1;
        const now = String(window.id());
        if (!known) fresh.set(id, now);
        if (active.has(now) && at - 1 <= active.get(now)) active.set(now, active.get(now) + 1);
        made.push({ window: now, place: at, elsewhere: at !== place || now !== id });
    }
    for (const [id, at] of active) if (windowOf(id) !== null) show(windowOf(id), at + 1);
    if (before.length && windowOf(before[0].id) !== null) windowOf(before[0].id).index = 1;
    return { ...list(), made };
}

function page({ tab, code, changes }) {
    const found = tabAt(tab);
    if (found === null) return { gone: true };
    if (changes) changing();
    const value = safari ? app.doJavaScript(code, { in: found }) : found.execute({ javascript: code });
    return { value: value === undefined || value === null ? null : typeof value === "string" ? value : JSON.stringify(value) };
}
