// System Events: the processes of all running applications, with their windows. A window has a smallest size, and may be
// kept where it is (`stuck`); it needs the permission for Accessibility, and moves no fullscreen window.
(function () {
    const permitted = () => {
        if (!sim.state.accessibility) throw numbered(-25211, "osascript is not allowed assistive access.");
    };
    const owner = (record) => sim.state.apps.find((app) => app.process === record);
    const top = () => 25; // below the menu bar

    function attributes(record, values) {
        return Object.entries(values).map(([name, value]) => ({ "#": "attribute", name, value, of: record }));
    }

    sim.behave("System Events", {
        elements: {
            "application.processes": () => runningApps().map((app) => {
                app.process = app.process || { "#": "process" };
                return app.process;
            }),
            "process.windows": (record) => {
                permitted();
                return owner(record).ui;
            },
            "process.attributes": (record) => attributes(record, { AXEnhancedUserInterface: record.enhanced === true }),
            "window.attributes": (record) => attributes(record, {
                AXMinimized: record.minimised === true, AXFullScreen: record.fullscreen === true,
            }),
        },
        getters: {
            "process.name": (record) => owner(record).name,
            "process.unixId": (record) => owner(record).pid,
            "process.bundleIdentifier": (record) => owner(record).bundle,
            "process.backgroundOnly": (record) => owner(record).background === true,
            "process.frontmost": (record) => owner(record).frontmost === true,
        },
        setters: {
            "process.frontmost": (record) => {
                if (owner(record).heldBack) return;
                for (const app of sim.state.apps) app.frontmost = app === owner(record);
            },
            "window.position": (record, [left, high]) => {
                permitted();
                if (!record.stuck && !record.fullscreen) record.position = [left, Math.max(top(), high)];
            },
            "window.size": (record, [width, height]) => {
                permitted();
                const [least, low] = record.smallest || [100, 100];
                if (!record.stuck && !record.fullscreen) record.size = [Math.max(least, width), Math.max(low, height)];
            },
            "attribute.value": ({ name, of }, value) => {
                permitted();
                if (name === "AXEnhancedUserInterface") of.enhanced = value;
                if (name === "AXMinimized") of.minimised = value;
                if (name === "AXFullScreen" && value !== (of.fullscreen === true)) {
                    const whole = [[0, 0], sim.state.monitors[0].edges.slice(2)];
                    const [position, size] = value ? whole : of.beneath;
                    of.beneath = [of.position, of.size];
                    Object.assign(of, { fullscreen: value, position, size });
                }
            },
        },
        reordered: () => sim.state.apps.map((app) => app.ui),
    });
})();
