// Safari and Chrome: windows are listed the one in front first, and each tab shows a page with a small document.
// `pages` of the application holds, by address, a title, a text, links and elements that a selector names whole.
(function () {
    class PageElement {
        constructor(data, app) {
            this.data = data;
            this.app = app;
        }
        get localName() { return this.data.tag || "input"; }
        get type() { return this.data.type || (this.localName === "input" ? "text" : ""); }
        get value() { return this.data.value || ""; }
        set value(text) { this.data.value = this.data.refuses ? this.data.value : String(text); }
        get innerText() { return this.data.text || ""; }
        get name() { return this.data.name || ""; }
        get href() { return this.data.href; }
        get disabled() { return this.data.disabled === true; }
        get readOnly() { return this.data.readOnly === true; }
        get labels() { return []; }
        get form() { return this.data.form ? { action: this.data.form } : null; }
        get options() { return this.data.options || []; }
        getAttribute() { return null; }
        getClientRects() { return this.data.hidden ? [] : [{}]; }
        dispatchEvent(event) { sim.state.log.push([this.app.name, `${event.type} of ${this.data.selector}`]); }
        click() { sim.state.log.push([this.app.name, `click on ${this.data.selector}`]); }
    }

    function documentOf(app, tab) {
        const page = (app.record.pages || {})[tab.url] || {};
        const links = (page.links || []).map((link) => new PageElement({ tag: "a", ...link }, app));
        const elements = (page.elements || []).map((data) => new PageElement(data, app));
        return {
            title: page.title || tab.url,
            URL: tab.url,
            readyState: "complete",
            body: { innerText: page.text || "" },
            querySelectorAll(selector) {
                if (selector.includes("[[")) throw new SyntaxError("not a selector");
                if (selector === "a[href], area[href]") return links;
                if (selector.includes("button, input")) return [...links, ...elements];
                return elements.filter((one) => one.data.selector === selector);
            },
        };
    }

    function evaluate(app, tab, code) {
        const run = new Function("document", "performance", "Event", "code", "return eval(code)");
        return run(documentOf(app, tab), { timeOrigin: tab.loads || 1 }, class { constructor(type) { this.type = type; } }, code);
    }

    const title = (tab, app) => ((app.record.pages || {})[tab.url] || {}).title || tab.url;
    const holder = (tab, app) => app.parentOf(tab)[0];
    const activeOf = (window) => window.tabs.find((tab) => tab["@"] === window.active) || window.tabs[0];
    const load = (tab, url) => {
        tab.url = url;
        tab.loads = (tab.loads || 0) + 1;
    };

    function madeWindow(_, parameters, app) {
        const window = newRecord(app, "window", {});
        window.tabs = [newRecord(app, "tab", {})];
        window.tabs[0].url = "";
        if (app.behaviour.identify) app.behaviour.identify(window.tabs[0]);
        window.id = app.behaviour.windowId(sim.fresh());
        window.active = window.tabs[0]["@"];
        app.record.windows = [window, ...(app.record.windows || [])];
        return shown(app, window);
    }

    const behaviour = {
        reordered: (app) => [app.record.windows || []],
        setters: {
            "tab.url": (tab, url) => load(tab, url),
            "window.index": (window, at, app) => {
                const windows = app.record.windows;
                windows.splice(windows.indexOf(window), 1);
                windows.splice(at - 1, 0, window);
            },
        },
        getters: { "window.index": (window, app) => app.record.windows.indexOf(window) + 1 },
        commands: {
            make(target, parameters, app) {
                if (target instanceof Node && target.kind === "new") return madeWindow(target, parameters, app);
                return GENERIC.make(target, parameters, app);
            },
            // Closing the last tab of a window closes the window.
            close(target, _, app) {
                for (const tab of [target.resolve()].flat()) {
                    const window = tab["#"] === "tab" ? holder(tab, app) : null;
                    const at = window ? window.tabs.indexOf(tab) : 0;
                    remove(app, tab);
                    if (!window) continue;
                    if (!window.tabs.length) remove(app, window);
                    else if (window.active === tab["@"]) window.active = window.tabs[Math.min(at, window.tabs.length - 1)]["@"];
                }
            },
        },
    };

    sim.behave("Safari", {
        ...behaviour,
        windowId: (number) => number,
        getters: {
            ...behaviour.getters,
            "tab.name": title,
            "tab.index": (tab, app) => holder(tab, app).tabs.indexOf(tab) + 1,
            "tab.text": (tab, app) => documentOf(app, tab).body.innerText,
            "window.currentTab": (window) => {
                if (!(window.tabs || []).length) throw numbered(-1728, "Can't get current tab.");
                return activeOf(window);
            },
        },
        setters: {
            ...behaviour.setters,
            "window.currentTab": (window, tab) => { window.active = numberOf(tab[NODE].single()); },
        },
        commands: {
            ...behaviour.commands,
            doJavaScript(code, { in: where }, app) {
                if (!app.record.javascript) {
                    throw numbered(8, "You must enable 'Allow JavaScript from Apple Events' in the Developer section of "
                        + "Safari Settings to use 'do JavaScript'.");
                }
                return evaluate(app, where[NODE].single(), code);
            },
        },
    });

    const identify = (tab) => { tab.id = String(900 + tab["@"]); };
    sim.behave("Google Chrome", {
        ...behaviour,
        identify,
        windowId: (number) => String(number),
        created: { tab: (tab, window) => { identify(tab); window.active = tab["@"]; } },
        getters: {
            ...behaviour.getters,
            "tab.title": title,
            "tab.loading": () => false,
            "window.activeTab": activeOf,
            "window.activeTabIndex": (window) => window.tabs.indexOf(activeOf(window)) + 1,
        },
        setters: {
            ...behaviour.setters,
            "window.activeTabIndex": (window, at) => {
                if (!window.tabs[at - 1]) throw numbered(9, "Invalid tab index.");
                window.active = window.tabs[at - 1]["@"];
            },
        },
        commands: {
            ...behaviour.commands,
            execute(target, { javascript }, app) {
                if (!app.record.javascript) {
                    throw numbered(12, "Executing JavaScript through AppleScript is turned off. To turn it on, from the "
                        + "menu bar, go to View > Developer > Allow JavaScript from Apple Events.");
                }
                return evaluate(app, target.single(), javascript);
            },
        },
    });
})();
