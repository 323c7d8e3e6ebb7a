// Runs before each script of sayso's: it reads the data, calls the script's `main(data)`, and returns one line of JSON.
// A script that is about to change something calls `changing()` first, so that a later error says that it had begun.
let begun = false;

function changing() {
    begun = true;
}

function readData(argv) {
    if (argv.length === 1) return JSON.parse(argv[0]);
    ObjC.import("Foundation");
    const text = $.NSString.stringWithContentsOfFileEncodingError(argv[1], $.NSUTF8StringEncoding, null);
    return JSON.parse(ObjC.unwrap(text));
}

function fail(number, message) {
    throw Object.assign(new Error(message), { errorNumber: number });
}

function run(argv) {
    const data = readData(argv);
    try {
        const done = main(data);
        return JSON.stringify({ done: done === undefined ? null : done });
    } catch (error) {
        if (typeof error.errorNumber !== "number") throw error;
        return JSON.stringify({ failed: error.errorNumber, says: String(error.message), begun });
    }
}
