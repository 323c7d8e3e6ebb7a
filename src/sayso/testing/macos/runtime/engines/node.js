// Runs the simulation in node, in a context of its own that has only the language.
const fs = require("fs");
const vm = require("vm");

const emit = (text) => fs.writeSync(1, text + "\n");
let pending = "";
const take = () => {
    const chunk = Buffer.alloc(65536);
    while (!pending.includes("\n")) pending += chunk.toString("latin1", 0, fs.readSync(0, chunk));
    const end = pending.indexOf("\n");
    const line = pending.slice(0, end);
    pending = pending.slice(end + 1);
    return line;
};

const context = vm.createContext({});
for (const name of ["console", "WebAssembly", "SharedArrayBuffer", "Atomics"]) vm.runInContext(`delete globalThis.${name}`, context);
Object.assign(context, { emit, take, TEXT: JSON.stringify(IT) });
const here = vm.runInContext(
    "(() => { const IT = JSON.parse(TEXT); const e = emit, t = take; delete globalThis.emit; delete globalThis.take;"
    + " delete globalThis.TEXT; const here = new Function('emit', 'take', IT.body)(e, t);"
    + " Object.assign(globalThis, here.globals); here.begin(IT.state, IT.tables); return { here, argv: IT.argv }; })()",
    context,
);
let run;
try {
    const value = vm.runInContext(IT.script, context);
    run = context.run || (() => value);
} catch (error) {
    run = () => { throw error; };
}
emit(here.here.ascii(here.here.finish(run, here.argv)));
