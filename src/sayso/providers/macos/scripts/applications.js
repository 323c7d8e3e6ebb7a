// Returns the applications in these folders, and in the folders in them: path, bundle id, and the name that is shown.
function main({ folders }) {
    ObjC.import("Foundation");
    const files = $.NSFileManager.defaultManager;
    const found = [];
    const look = (folder, deeper) => {
        const names = ObjC.deepUnwrap(files.contentsOfDirectoryAtPathError($(folder), null)) || [];
        for (const name of names) {
            const path = `${folder}/${name}`;
            if (name.endsWith(".app")) {
                const bundle = $.NSBundle.bundleWithPath($(path));
                if (bundle.isNil()) continue;
                const shown = ObjC.unwrap(files.displayNameAtPath($(path))).replace(/\.app$/, "");
                found.push({ path, id: ObjC.unwrap(bundle.bundleIdentifier) || "", name: shown });
            } else if (deeper && !name.startsWith(".")) {
                look(path, false);
            }
        }
    };
    for (const folder of folders) look(folder, true);
    return found;
}
