// Applications, windows and monitors: `look` returns them, and `front`, `quit` and `place` change them.
// A window has the number that the window server gave it; System Events knows it only by its title or its place in a
// list, which changes, so it is looked for again before each change.
const NORMAL_LAYER = 0, REGULAR = 0, ALL_BUT_DESKTOP = 16, ANY_INPUT = 0xffffffff, HARDWARE = 1;
const GONE = [-1728, -1719];

function main(data) {
    ObjC.import("AppKit");
    ObjC.import("CoreGraphics");
    return { look, front, quit, place }[data.do](data);
}

function applications() {
    const running = $.NSWorkspace.sharedWorkspace.runningApplications;
    const found = [];
    for (let at = 0; at < running.count; at++) {
        const app = running.objectAtIndex(at);
        if (Number(app.activationPolicy) !== REGULAR) continue;
        const url = app.bundleURL, since = app.launchDate;
        found.push({
            pid: Number(app.processIdentifier),
            name: ObjC.unwrap(app.localizedName) || "",
            id: ObjC.unwrap(app.bundleIdentifier) || "",
            path: url.isNil() ? "" : ObjC.unwrap(url.path),
            started: since.isNil() ? 0 : Math.floor(Number(since.timeIntervalSince1970)),
            front: Boolean(app.active),
        });
    }
    return found;
}

// Returns the windows that the window server has, front first.
function numbered() {
    const listed = ObjC.deepUnwrap(ObjC.castRefToObject($.CGWindowListCopyWindowInfo(ALL_BUT_DESKTOP, 0))) || [];
    return listed.filter((one) => one.kCGWindowLayer === NORMAL_LAYER).map((one, order) => ({
        number: String(one.kCGWindowNumber),
        pid: one.kCGWindowOwnerPID,
        order,
        edges: [one.kCGWindowBounds.X, one.kCGWindowBounds.Y, one.kCGWindowBounds.Width, one.kCGWindowBounds.Height],
    }));
}

function processOf(pid) {
    return Application("System Events").processes.whose({ unixId: pid })[0];
}

// Returns the windows of a process, each with its number and its place in the list of System Events.
function windowsOf(pid, known) {
    const listed = processOf(pid).windows.properties();
    const left = known.filter((one) => one.pid === pid);
    const found = [];
    listed.forEach(({ name, position, size, subrole }, at) => {
        const edges = [...position, ...size];
        const match = left.findIndex((one) => one.edges.every((edge, side) => Math.round(edge) === edges[side]));
        if (match === -1) return;
        const [{ number, order }] = left.splice(match, 1);
        const alone = Boolean(name) && listed.filter((other) => other.name === name).length === 1;
        found.push({ id: number, order, at, pid, title: name || "", alone, edges, role: subrole || "" });
    });
    return found;
}

function stateOf(window) {
    const is = (name) => {
        const one = window.attributes.byName(name);
        return one.exists() && one.value() === true;
    };
    return is("AXMinimized") ? "minimised" : is("AXFullScreen") ? "fullscreen" : "normal";
}

// Returns the states of all windows of a process at once; where one of them does not tell, of each by itself.
function statesOf(pid, count) {
    try {
        const all = processOf(pid).windows.attributes;
        const minimised = all.byName("AXMinimized").value(), fullscreen = all.byName("AXFullScreen").value();
        return minimised.map((is, at) => (is === true ? "minimised" : fullscreen[at] === true ? "fullscreen" : "normal"));
    } catch (error) {
        if (!GONE.includes(error.errorNumber)) throw error;
        return Array.from({ length: count }, (_, at) => stateOf(processOf(pid).windows[at]));
    }
}

function look() {
    const apps = applications(), known = numbered(), windows = [], silent = [];
    for (const app of apps) {
        try {
            const found = windowsOf(app.pid, known);
            const states = found.length ? statesOf(app.pid, found.length) : [];
            for (const window of found) windows.push({ ...window, state: states[window.at] || "normal" });
        } catch (error) {
            if (error.errorNumber === -1712) silent.push(app.name);
            else if (!GONE.includes(error.errorNumber)) throw error;
        }
    }
    windows.sort((one, other) => one.order - other.order);
    return { apps, windows, silent, monitors: monitors(), idle: idle() };
}

// The screens of AppKit count from the bottom of the main one, windows from its top.
function monitors() {
    const screens = $.NSScreen.screens, found = [];
    const height = screens.count ? screens.objectAtIndex(0).frame.size.height : 0;
    for (let at = 0; at < screens.count; at++) {
        const screen = screens.objectAtIndex(at), { origin, size } = screen.frame;
        const top = height - origin.y - size.height;
        found.push({
            name: ObjC.unwrap(screen.localizedName) || `monitor ${at + 1}`,
            edges: [origin.x, top, size.width, size.height],
            main: at === 0,
        });
    }
    return found;
}

function idle() {
    return Number($.CGEventSourceSecondsSinceLastEventType(HARDWARE, ANY_INPUT));
}

function front({ pid }) {
    changing();
    processOf(pid).frontmost = true;
}

function quit({ pids }) {
    changing();
    return pids.map((pid) => {
        const app = $.NSRunningApplication.runningApplicationWithProcessIdentifier(pid);
        return !app.isNil() && Boolean(app.terminate);
    });
}

// The order size, position, size lets a window move to a smaller or larger monitor; the applications may clamp both.
function place({ pid, id, left, top, width, height, state }) {
    const find = () => {
        const found = windowsOf(pid, numbered()).find((one) => one.id === id);
        return found || fail(-1728, "the window is gone");
    };
    const window = () => {
        const { title, alone, at } = find(), { windows } = processOf(pid);
        return alone ? windows.byName(title) : windows[at];
    };
    const become = (name, is) => { window().attributes.byName(name).value = is; };
    const before = stateOf(window());
    changing();
    if (before === "fullscreen") become("AXFullScreen", false);
    if (before === "minimised") become("AXMinimized", false);
    if (before !== "normal") delay(1);
    const beneath = find().edges;
    const enhanced = processOf(pid).attributes.byName("AXEnhancedUserInterface");
    const was = enhanced.exists() && enhanced.value() === true;
    if (was) enhanced.value = false;
    try {
        window().size = [width, height];
        window().position = [left, top];
        window().size = [width, height];
    } finally {
        if (was) enhanced.value = true;
    }
    if (state === "minimised") become("AXMinimized", true);
    if (state === "fullscreen") become("AXFullScreen", true);
    if (state === "fullscreen") delay(1);
    return before === "fullscreen" ? beneath : null;
}
