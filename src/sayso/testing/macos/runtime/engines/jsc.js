// Runs the simulation in JavaScriptCore; what its shell adds to the language is taken away before the script runs.
(function () {
    const emit = print, take = readline;
    const start = new Function("emit", "take", IT.body);
    const here = start(emit, take);
    const LANGUAGE = new Set(("Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol "
        + "Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError "
        + "globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array "
        + "Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap "
        + "WeakSet WeakRef Proxy Reflect decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval "
        + "isFinite isNaN").split(" "));
    for (const name of Object.getOwnPropertyNames(globalThis)) if (!LANGUAGE.has(name)) delete globalThis[name];
    for (const name of ["print", "readline", "readFile", "read", "load", "loadString", "writeFile", "quit", "setTimeout",
        "clearTimeout", "setInterval", "gc", "run", "runString", "createGlobalObject", "drainMicrotasks", "printErr",
        "require", "console"]) delete globalThis[name];
    Object.assign(globalThis, here.globals);
    here.begin(IT.state, IT.tables);
    let run;
    try {
        const value = (0, eval)(IT.script);
        run = globalThis.run || (() => value);
    } catch (error) {
        run = () => { throw error; };
    }
    emit(here.ascii(here.finish(run, IT.argv)));
})();
