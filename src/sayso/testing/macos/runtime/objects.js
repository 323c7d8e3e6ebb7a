// The objects of simulated applications, as JavaScript for Automation shows them: a specifier is lazy, a property is
// read by calling it, and only what the tables of the application know can be named.
//
// A record is one object of an application: `#` is its class, `@` its own number, and its elements are lists in it.

class Unknown extends Error {}

function numbered(number, message) {
    return Object.assign(new Error(message), { errorNumber: number });
}

const sim = {
    state: null,
    tables: null,
    behaviours: {},
    events: 0,
    fresh() {
        this.state.counter += 1;
        return this.state.counter;
    },
    unknown(what) {
        this.state.unknown.push(what);
        throw new Unknown(`the tables of the simulator have no ${what}`);
    },
    behave(name, behaviour) {
        this.behaviours[name] = behaviour;
    },
};

const isRecord = (value) => value !== null && typeof value === "object" && "#" in value;

// ---- one application -------------------------------------------------------------------------------------------

class App {
    constructor(record) {
        this.record = record;
        this.name = record.name;
        this.table = sim.tables[record.kind || record.name];
        if (!this.table) sim.unknown(`application ${record.name}`);
        this.behaviour = sim.behaviours[record.kind || record.name] || {};
        this.standard = false; // whether includeStandardAdditions was set
        this.fresh = new Map();
    }

    classOf(name) {
        return this.table.classes[name] || sim.unknown(`class ${name} of ${this.name}`);
    }

    // One Apple event: permission, faults and start of the application.
    event(what) {
        sim.events += 1;
        sim.state.log.push([this.name, what]);
        for (const fault of sim.state.faults) {
            if (fault.app !== this.name && fault.app !== "*") continue;
            if (fault.on && fault.on !== what) continue;
            if (fault.after > 0) {
                fault.after -= 1;
                continue;
            }
            if (fault.fault === "slow") host({ ask: "sleep", seconds: fault.seconds });
            if (fault.fault === "hang") {
                if (fault.seconds) host({ ask: "sleep", seconds: fault.seconds });
                fault.fault = "gone";
                throw numbered(-1712, "AppleEvent timed out.");
            }
            if (fault.fault === "gone") throw numbered(-609, "Connection is invalid.");
            if (fault.fault === "denied") throw numbered(-1743, "Not authorized to send Apple events to " + this.name);
            if (fault.fault === "number") {
                if (fault.once) sim.state.faults.splice(sim.state.faults.indexOf(fault), 1);
                throw numbered(fault.number, fault.says || "An error occurred.");
            }
            if (fault.fault === "reorder") {
                const lists = this.behaviour.reordered ? this.behaviour.reordered(this) : listsBelow(this, this.record);
                for (const list of lists) list.reverse();
            }
            if (fault.fault === "stale" && what !== "list") throw numbered(-1728, "Can't get object.");
        }
        if (!this.record.running) {
            if (this.record.launchable === false) throw numbered(-600, "Application isn't running.");
            launch(this.record);
        }
    }

    swallows() {
        return sim.state.faults.some((fault) => fault.fault === "swallow" && fault.app === this.name);
    }

    parentOf(wanted) {
        return findParent(this.record, this.record, this, wanted);
    }
}

const FIRST_PID = 5000000; // no process of the machine that runs the tests has such an id

function launch(record) {
    record.running = true;
    record.pid = record.pid || FIRST_PID + sim.fresh();
    sim.state.log.push([record.name, "launched"]);
    const behaviour = sim.behaviours[record.kind || record.name];
    if (behaviour && behaviour.launched) behaviour.launched(record);
}

// Return [parent, name of the elements] of a record; computed elements are not looked at.
function findParent(root, record, app, wanted) {
    const elements = app.classOf(record["#"]).elements || {};
    for (const name of Object.keys(elements)) {
        const list = record[name];
        if (!Array.isArray(list)) continue;
        if (list.includes(wanted)) return [record, name];
        for (const child of list) {
            const found = isRecord(child) && findParent(root, child, app, wanted);
            if (found) return found;
        }
    }
    return null;
}

// The lists of what contains others, such as calendars, mailboxes and folders, of a record and below it.
const ENTRIES = new Set(["event", "reminder", "note", "message", "outgoingMessage"]);
function listsBelow(app, record) {
    return Object.keys(app.classOf(record["#"]).elements || {}).map((name) => record[name])
        .filter((list) => Array.isArray(list) && list.every((one) => isRecord(one) && !ENTRIES.has(one["#"])))
        .flatMap((list) => [list, ...list.flatMap((child) => listsBelow(app, child))]);
}

// The records that are elements of another one; "note*" collects those below it, at any depth.
function elementsOf(app, record, name) {
    const computed = (app.behaviour.elements || {})[`${record["#"]}.${name}`];
    if (computed) return computed(record, app);
    const declared = app.classOf(record["#"]).elements[name];
    if (!declared.endsWith("*")) return record[name] || (record[name] = []);
    const wanted = declared.slice(0, -1);
    const found = [];
    const visit = (parent) => {
        for (const below of Object.keys(app.classOf(parent["#"]).elements || {})) {
            if (app.classOf(parent["#"]).elements[below].endsWith("*")) continue;
            for (const child of parent[below] || []) {
                if (child["#"] === wanted) found.push(child);
                visit(child);
            }
        }
    };
    visit(record);
    return found;
}

function propertyMode(app, record, name) {
    const mode = (app.classOf(record["#"]).properties || {})[name];
    return mode === undefined ? sim.unknown(`property ${name} of class ${record["#"]} of ${app.name}`) : mode;
}

function readProperty(app, record, name) {
    if (name === "properties") {
        const { properties } = app.classOf(record["#"]);
        const plain = Object.keys(properties).filter((each) => !/:(?!date)/.test(properties[each]));
        return Object.fromEntries(plain.map((each) => [each, readProperty(app, record, each)]));
    }
    const getter = (app.behaviour.getters || {})[`${record["#"]}.${name}`];
    if (getter) return getter(record, app);
    const value = record[name];
    if (value === undefined || value === null) return null;
    const mode = propertyMode(app, record, name);
    if (mode.includes(":date")) return new Date(value);
    if (typeof value === "object" && "@ref" in value) return findByNumber(app.record, value["@ref"]);
    return value;
}

function findByNumber(value, number) {
    if (value === null || typeof value !== "object") return null;
    if (value["@"] === number) return value;
    for (const below of Object.values(value)) {
        const found = findByNumber(below, number);
        if (found) return found;
    }
    return null;
}

function storable(value) {
    if (value instanceof Date) return value.toISOString();
    if (typeof value === "function" && value[NODE]) {
        const record = value[NODE].single();
        return { "@ref": numberOf(record) };
    }
    if (Array.isArray(value)) return value.map(storable);
    return value === undefined ? null : value;
}

function numberOf(record) {
    if (!record["@"]) record["@"] = sim.fresh();
    return record["@"];
}

function writeProperty(app, record, name, value, creating) {
    const mode = propertyMode(app, record, name);
    if (!mode.startsWith("rw") && !(creating && mode.startsWith("c"))) {
        throw numbered(-10006, `Can't set ${name} of ${record["#"]}.`);
    }
    const setter = (app.behaviour.setters || {})[`${record["#"]}.${name}`];
    if (setter) setter(record, value, app);
    else record[name] = storable(value);
}

function newRecord(app, cls, properties) {
    const record = { "#": cls, "@": sim.fresh() };
    Object.assign(record, JSON.parse(JSON.stringify(app.classOf(cls).new || {})));
    for (const [name, value] of Object.entries(properties || {})) writeProperty(app, record, name, value, true);
    return record;
}

function insert(app, record, parent, elements) {
    const hook = (app.behaviour.created || {})[record["#"]];
    elementsOf(app, parent, elements);
    const declared = app.classOf(parent["#"]).elements[elements];
    if (declared.endsWith("*")) {
        if (!hook) sim.unknown(`place of a new ${record["#"]} in ${app.name}`);
        hook(record, parent, app);
        return;
    }
    parent[elements].push(record);
    if (hook) hook(record, parent, app);
}

function remove(app, record) {
    const place = app.parentOf(record);
    if (!place) throw numbered(-1728, "Can't get object.");
    const list = place[0][place[1]];
    list.splice(list.indexOf(record), 1);
}

// ---- specifiers ------------------------------------------------------------------------------------------------

const NODE = Symbol("node");

class Node {
    constructor(app, kind, parent, arg) {
        Object.assign(this, { app, kind, parent, arg });
    }

    // The class that the specifier names, as far as it can be told without looking.
    get cls() {
        switch (this.kind) {
            case "app": return "application";
            case "new": return this.arg["#"];
            case "record": return this.arg["#"];
            case "elements": {
                const declared = (this.app.classOf(this.parent.cls).elements || {})[this.arg];
                return declared && declared.replace("*", "");
            }
            case "property": {
                const mode = (this.app.classOf(this.parent.cls).properties || {})[this.arg] || "";
                const found = /:([a-zA-Z]+)$/.exec(mode);
                return found && !["date", "data"].includes(found[1]) ? found[1] : null;
            }
            default: return this.parent.cls;
        }
    }

    get many() {
        return this.kind === "elements" || this.kind === "whose";
    }

    // The records or values that the specifier means now; a list where it means many.
    resolve() {
        switch (this.kind) {
            case "app": return this.app.record;
            case "record": return this.arg;
            case "new":
                if (!this.pushed) throw numbered(-1728, `Can't get ${this.arg["#"]}: it was not made yet.`);
                return this.arg;
            case "elements": return mapped(this.parent.resolve(), (one) => {
                const found = elementsOf(this.app, one, this.arg);
                return this.app.swallows() ? [] : found.slice();
            });
            case "property": return mapped(this.parent.resolve(), (one) => {
                if (!isRecord(one)) throw numbered(-1728, `Can't get ${this.arg}.`);
                return readProperty(this.app, one, this.arg);
            });
            case "index": {
                const list = this.parent.resolve();
                const at = this.arg < 0 ? list.length + this.arg : this.arg;
                if (!(at in list)) throw numbered(-1719, "Can't get object. Invalid index.");
                return list[at];
            }
            case "byId":
            case "byName": {
                const property = this.kind === "byId" ? this.idProperty() : "name";
                const pick = (list) => {
                    const found = list.find((one) => same(readProperty(this.app, one, property), this.arg));
                    if (!found) throw numbered(-1728, "Can't get object.");
                    return found;
                };
                const everywhere = this.kind === "byId" && (this.app.behaviour.everywhere || {})[this.cls];
                const list = everywhere ? everywhere(this.app) : this.parent.resolve();
                return list.length && list.every(Array.isArray) ? list.map(pick) : pick(list);
            }
            case "whose": return this.parent.resolve().filter((one) => meets(this.app, one, this.arg));
            default: throw new Error(`no such kind of specifier: ${this.kind}`);
        }
    }

    idProperty() {
        return this.app.classOf(this.cls).id || "id";
    }

    single() {
        const found = this.resolve();
        if (!isRecord(found)) throw numbered(-1728, "Can't get object.");
        return found;
    }
}

function same(value, wanted) {
    return value === wanted; // a number is not the text of it: the application compares as it stores
}

function mapped(value, of) {
    return Array.isArray(value) && value.every((one) => isRecord(one) || Array.isArray(one))
        ? value.map((one) => mapped(one, of)) : of(value);
}

const COMPARISONS = {
    "=": (value, wanted) => value === wanted || (value instanceof Date && +value === +wanted),
    _equals: (value, wanted) => value === wanted || (value instanceof Date && +value === +wanted),
    "!=": (value, wanted) => value !== wanted,
    ">": (value, wanted) => value > wanted, _greaterThan: (value, wanted) => value > wanted,
    ">=": (value, wanted) => value >= wanted, _greaterThanEquals: (value, wanted) => value >= wanted,
    "<": (value, wanted) => value < wanted, _lessThan: (value, wanted) => value < wanted,
    "<=": (value, wanted) => value <= wanted, _lessThanEquals: (value, wanted) => value <= wanted,
    _contains: (value, wanted) => folded(value).includes(folded(wanted)),
    _beginsWith: (value, wanted) => folded(value).startsWith(folded(wanted)),
    _endsWith: (value, wanted) => folded(value).endsWith(folded(wanted)),
};
const folded = (text) => String(text).toLowerCase();

function meets(app, record, tests) {
    return Object.entries(tests).every(([name, test]) => {
        if (name === "_and") return test.every((one) => meets(app, record, one));
        if (name === "_or") return test.some((one) => meets(app, record, one));
        if (name === "_not") return !test.some((one) => meets(app, record, one));
        propertyMode(app, record, name);
        const value = readProperty(app, record, name);
        if (test === null || typeof test !== "object" || test instanceof Date) return COMPARISONS["="](value, test);
        return Object.entries(test).every(([how, wanted]) => (COMPARISONS[how] || sim.unknown(`test ${how}`))(value, wanted));
    });
}

// What a script sees of a value: records become specifiers.
function shown(app, value) {
    if (isRecord(value)) return specifier(nodeFor(app, value));
    if (Array.isArray(value)) return value.map((one) => shown(app, one));
    return value;
}

function nodeFor(app, record) {
    if (record === app.record) return new Node(app, "app");
    const place = app.parentOf(record);
    if (!place) return new Node(app, "record", null, record);
    const elements = new Node(app, "elements", nodeFor(app, place[0]), place[1]);
    const cls = app.classOf(record["#"]);
    const id = cls.id || (cls.properties.id ? "id" : null);
    if (id && cls.refers !== "index") return new Node(app, "byId", elements, readProperty(app, record, id));
    return new Node(app, "index", elements, place[0][place[1]].indexOf(record));
}

function command(app, name, direct, parameters) {
    const known = app.table.commands[name] || STANDARD[name];
    for (const parameter of Object.keys(parameters || {})) {
        if (!known.includes(parameter)) sim.unknown(`parameter ${parameter} of command ${name} of ${app.name}`);
    }
    if (name !== "running") app.event(name);
    const target = typeof direct === "function" && direct[NODE] ? direct[NODE] : direct;
    const own = (app.behaviour.commands || {})[name] || GENERIC[name] || (STANDARD[name] && STANDARD_DOES[name]);
    if (!own) sim.unknown(`behaviour of command ${name} of ${app.name}`);
    return own(target, parameters || {}, app);
}

const GENERIC = {
    make(_, { new: cls, at, withProperties }, app) {
        const record = newRecord(app, camel(cls), withProperties);
        const parent = at ? at[NODE] : new Node(app, "app");
        if (parent.kind === "before") {
            const [into, elements] = app.parentOf(parent.parent.single());
            insert(app, record, into, elements);
            const list = into[elements];
            list.splice(list.indexOf(parent.parent.single()), 0, list.pop());
            return shown(app, record);
        }
        const into = parent.many ? parent.parent.single() : parent.single();
        const elements = parent.many ? parent.arg : elementsFor(app, into, record["#"]);
        insert(app, record, into, elements);
        return shown(app, record);
    },
    delete(target, _, app) {
        for (const record of [target.resolve()].flat()) remove(app, record);
    },
    close(target, _, app) {
        for (const record of [target.resolve()].flat()) remove(app, record);
    },
    exists(target) {
        try {
            const found = target.resolve();
            return !Array.isArray(found) || found.length > 0;
        } catch (error) {
            if (error.errorNumber === -1728 || error.errorNumber === -1719) return false;
            throw error;
        }
    },
    count(target) {
        return target.resolve().length;
    },
    move(target, { to }, app) {
        const record = target.single();
        const into = to[NODE].single();
        remove(app, record);
        into[elementsFor(app, into, record["#"])].push(record);
    },
    running(_, __, app) {
        return app.record.running;
    },
    activate(_, __, app) {
        for (const other of sim.state.apps) other.frontmost = other === app.record;
    },
    launch() {},
    quit(_, __, app) {
        if (app.record.refusesToQuit) throw numbered(-128, "User canceled.");
        app.record.running = false;
        app.record.frontmost = false;
    },
};

const camel = (name) => name.replace(/ (\w)/g, (_, letter) => letter.toUpperCase());

function elementsFor(app, parent, cls) {
    const elements = app.classOf(parent["#"]).elements || {};
    const name = Object.keys(elements).find((each) => elements[each] === cls)
        || Object.keys(elements).find((each) => elements[each] === `${cls}*`);
    if (!name) sim.unknown(`place for a ${cls} in a ${parent["#"]} of ${app.name}`);
    if (!elements[name].endsWith("*")) elementsOf(app, parent, name);
    return name;
}

const IGNORED = new Set(["toJSON", "then", "toString", "valueOf", "constructor", "prototype", "apply", "call", "bind"]);

function specifier(node) {
    const { app } = node;
    return new Proxy(() => {}, {
        apply(_, __, given) {
            if (given.length) sim.unknown(`argument of ${node.arg}`);
            app.event(node.many || node.kind === "property" ? "get" : "list");
            return shown(app, node.resolve());
        },
        get(_, name) {
            if (name === NODE) return node;
            if (typeof name === "symbol" || IGNORED.has(name)) return undefined;
            return member(node, name);
        },
        set(_, name, value) {
            assign(node, name, value);
            return true;
        },
        has: () => sim.unknown("“in” for a specifier"),
        ownKeys: () => sim.unknown("list of the names of a specifier"),
    });
}

function assign(node, name, value) {
    const { app } = node;
    if (node.kind === "app" && name === "includeStandardAdditions") {
        app.standard = value;
    } else if (node.kind === "new" && !node.pushed) {
        writeProperty(app, node.arg, name, value, true);
    } else {
        app.event("set");
        writeProperty(app, node.single(), name, value, false);
    }
}

function member(node, name) {
    const { app } = node;
    if (node.many) {
        if (name === "length") {
            app.event("count");
            return node.resolve().length;
        }
        if (/^-?\d+$/.test(name)) return specifier(new Node(app, "index", node, Number(name)));
        if (name === "at") return (index) => specifier(new Node(app, "index", node, index));
        if (name === "first") return specifier(new Node(app, "index", node, 0));
        if (name === "byId" || name === "byName") return (wanted) => specifier(new Node(app, name, node, wanted));
        if (name === "whose" || name === "where") return (tests) => specifier(new Node(app, "whose", node, tests));
        if (name === "push") return (made) => push(node, made);
    }
    // The place before an element, for a new one.
    if (name === "before" && node.kind === "index") return specifier(new Node(app, "before", node));
    const cls = node.cls;
    if (cls) {
        const table = app.classOf(cls);
        if ((table.elements || {})[name]) return specifier(new Node(app, "elements", node, name));
        if (name === "properties" || (table.properties || {})[name]) return specifier(new Node(app, "property", node, name));
    }
    if (node.kind === "app" && /^[A-Z]/.test(name)) {
        const made = name[0].toLowerCase() + name.slice(1);
        const found = app.table.classes[made] ? made : app.table.classes[name] ? name : null;
        if (found) return (properties) => unmade(app, found, properties);
    }
    const standard = STANDARD[name] && node.kind === "app" && app.standard;
    if (app.table.commands[name] || standard) {
        if (node.kind !== "app") return (parameters) => command(app, name, specifier(node), parameters);
        return (direct, parameters) => {
            const plain = direct !== null && typeof direct === "object" && !Array.isArray(direct)
                && !(direct instanceof Date) && parameters === undefined;
            return plain ? command(app, name, specifier(node), direct) : command(app, name, direct === undefined
                ? specifier(node) : direct, parameters);
        };
    }
    return sim.unknown(`“${name}” of ${cls || "a value"} of ${app.name}`);
}

function unmade(app, cls, properties) {
    const node = new Node(app, "new", null, newRecord(app, cls, properties));
    return specifier(node);
}

function push(node, made) {
    const { app } = node;
    if (!made || !made[NODE] || made[NODE].kind !== "new") throw numbered(-1700, "Can't convert types.");
    app.event("make");
    insert(app, made[NODE].arg, node.parent.single(), node.arg);
    made[NODE].pushed = true;
    return node.parent.resolve()[node.arg] ? node.parent.resolve()[node.arg].length : 0;
}

function Application(wanted) {
    const record = findApp(wanted);
    if (!record) throw numbered(-2700, "Application can't be found.");
    return specifier(new Node(new App(record), "app"));
}

// A name or bundle id means the process that was started first; a number means exactly that process.
function findApp(wanted) {
    const apps = sim.state.apps.filter((app) => typeof wanted === "number"
        ? app.running && app.pid === wanted
        : [app.name, app.bundle, app.path].includes(wanted));
    apps.sort((one, other) => Number(other.running) - Number(one.running) || one.pid - other.pid);
    return apps[0];
}

Application.currentApplication = () => Application("osascript");
