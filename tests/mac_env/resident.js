// Runs the simulation for one call after the other; each call has a simulation of its own, and only the language.
(function () {
    const emit = print, take = readline;
    const { body, tables } = JSON.parse(take());
    const LANGUAGE = new Set(("Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol "
        + "Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError "
        + "globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array "
        + "Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap "
        + "WeakSet WeakRef Proxy Reflect decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval "
        + "isFinite isNaN").split(" "));
    const clean = () => {
        for (const name of Object.getOwnPropertyNames(globalThis)) if (!LANGUAGE.has(name)) delete globalThis[name];
    };
    const begin = new Function("emit", "take", body);
    for (;;) {
        clean();
        const { state, script, argv } = JSON.parse(take());
        const here = begin(emit, take);
        // The engine may keep a function that an earlier script declared.
        Object.assign(globalThis, here.globals, { run: undefined, main: undefined });
        here.begin(state, JSON.parse(tables));
        let run;
        try {
            const value = (0, eval)(script);
            run = globalThis.run || (() => value);
        } catch (error) {
            run = () => { throw error; };
        }
        emit(here.ascii(here.finish(run, argv)));
    }
})();
