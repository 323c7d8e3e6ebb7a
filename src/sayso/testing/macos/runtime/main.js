// Starts a script: the stand-in of osascript calls `begin` with the state, runs the script, and asks for its result.
const ONLY = ["Application", "$", "ObjC", "Ref", "Path", "delay", "console", "Automation"];

class FilePath {
    constructor(text) {
        this.text = text;
    }
    toString() {
        return this.text;
    }
}

const globals = {
    Application,
    $,
    ObjC,
    Ref,
    Path: (text) => new FilePath(text),
    delay: () => undefined, // nothing here takes time, so there is nothing to wait for
    console: strict({ log: () => undefined }, "console"),
};

function begin(state, tables) {
    sim.state = state;
    sim.tables = tables;
}

function finish(run, argv) {
    let answer;
    try {
        const value = run(argv);
        answer = { result: value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value) };
    } catch (error) {
        const number = typeof error.errorNumber === "number" ? error.errorNumber : -2700;
        answer = { error: `${error.name}: ${error.message}`, number };
    }
    return { ...answer, state: sim.state, events: sim.events };
}
