// Handles sayso's requests about windows inside KWin. Supports the different names in KWin 5 and 6.
"use strict";

var QUIET_MS = 60000; // without a request for this long, sayso has ended without unloading the script
var MAXIMISED = 3; // in both directions

function all() {
    return typeof workspace.windowList === "function" ? workspace.windowList() : workspace.clientList();
}

function find(id) {
    return all().find(function (window) { return String(window.internalId) === id; });
}

function ofAnApp(window) {
    return !window.deleted && !window.specialWindow && !window.popupWindow
        && (window.normalWindow || window.dialog || window.utility);
}

function box(rect) {
    return {left: rect.x, top: rect.y, right: rect.x + rect.width, bottom: rect.y + rect.height};
}

function same(a, b) {
    return a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom;
}

function state(window) {
    if (window.minimized) {
        return "minimised";
    }
    if (window.fullScreen) {
        return "fullscreen";
    }
    if (window.maximizeMode !== undefined) {
        return window.maximizeMode === MAXIMISED ? "maximised" : "normal";
    }
    // KWin 5 does not report to a script whether a window is maximised; sayso asks for it over D-Bus.
    var filled = box(workspace.clientArea(KWin.MaximizeArea, window));
    return same(box(window.frameGeometry), filled) ? "filling" : "normal";
}

function desktops() {
    return typeof workspace.desktops === "number" ? workspace.desktops : workspace.desktops.length;
}

function desktop(window) {
    if (desktops() < 2) {
        return "";
    }
    if (window.onAllDesktops) {
        return "all";
    }
    return window.desktops ? window.desktops.map(function (one) { return one.id; }).join(" ") : String(window.desktop);
}

function isHere(window) {
    if (window.onAllDesktops) {
        return true;
    }
    return window.desktops ? window.desktops.indexOf(workspace.currentDesktop) >= 0
        : window.desktop === workspace.currentDesktop;
}

function describe(window) {
    return {
        id: String(window.internalId),
        classes: [window.resourceName, window.resourceClass, window.desktopFileName].map(String),
        pid: window.pid,
        bounds: box(window.frameGeometry),
        state: state(window),
        desktop: desktop(window),
        closable: window.closeable,
        belongs: window.transient,
        here: isHere(window),
        height: window.stackingOrder,
        title: String(window.caption || ""),
    };
}

function monitors() {
    if (workspace.screens) {
        return workspace.screens.map(function (screen) {
            return {name: screen.name, bounds: box(screen.geometry), main: screen === workspace.screenOrder[0]};
        });
    }
    var names = workspace.supportInformation().match(/^Screen \d+:\n-+\nName: .*$/gm) || [];
    var found = [];
    for (var number = 0; number < workspace.numScreens; number++) {
        var name = names[number] ? names[number].replace(/^[^]*Name: /, "") : "screen " + (number + 1);
        found.push({name: name, bounds: box(workspace.clientArea(KWin.ScreenArea, number, 1)), main: false});
    }
    return found;
}

function active() {
    var window = workspace.activeWindow !== undefined ? workspace.activeWindow : workspace.activeClient;
    return window ? String(window.internalId) : "";
}

function front(window) {
    window.minimized = false;
    if (workspace.activeWindow !== undefined) {
        workspace.activeWindow = window;
    } else {
        workspace.activeClient = window;
    }
}

function toDesktop(window, wanted) {
    if (window.desktops === undefined) {
        window.desktop = wanted === "all" ? -1 : Number(wanted);
        return;
    }
    var ids = wanted === "all" ? [] : wanted.split(" ");
    window.desktops = workspace.desktops.filter(function (one) { return ids.indexOf(one.id) >= 0; });
}

function plain(window) {
    window.minimized = false;
    window.fullScreen = false;
    window.setMaximize(false, false);
}

function into(window, wanted) {
    if (wanted === "maximised") {
        window.setMaximize(true, true);
    } else if (wanted === "fullscreen") {
        window.fullScreen = true;
    } else if (wanted === "minimised") {
        window.minimized = true;
    }
}

function move(window, to) {
    window.frameGeometry = {x: to.left, y: to.top, width: to.right - to.left, height: to.bottom - to.top};
}

var REQUESTS = {
    front: front,
    close: function (window) { window.closeWindow(); },
    desktop: function (window, asked) { toDesktop(window, asked.desktop); },
    plain: plain,
    move: function (window, asked) { move(window, asked.to); },
    into: function (window, asked) { into(window, asked.state); },
};

function answer(asked) {
    if (asked.what === "look") {
        return {windows: all().filter(ofAnApp).map(describe), monitors: monitors(), active: active()};
    }
    var window = find(asked.window);
    if (!window) {
        return {gone: true};
    }
    REQUESTS[asked.what](window, asked);
    return {};
}

function serve(to, place, ours, token) {
    var watch = new QTimer();
    watch.singleShot = true;
    watch.interval = QUIET_MS;
    watch.timeout.connect(function () {
        callDBus("org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting", "unloadScript", token);
    });

    function next(said) {
        watch.start();
        callDBus(to, place, ours, "Next", token, said, function (question) {
            if (!question) {
                return;
            }
            var result;
            try {
                result = answer(JSON.parse(question));
            } catch (error) {
                result = {error: String(error)};
            }
            next(JSON.stringify(result));
        });
    }

    next("");
}
