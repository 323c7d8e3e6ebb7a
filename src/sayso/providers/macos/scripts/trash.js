// Moves what is at a path to the Trash; returns its path there, or why it was not moved.
function main({ path }) {
    ObjC.import("Foundation");
    const files = $.NSFileManager.defaultManager, result = Ref(), error = Ref();
    changing();
    if (files.trashItemAtURLResultingItemURLError($.NSURL.fileURLWithPath($(path)), result, error)) {
        return { path: ObjC.unwrap(result[0].path), why: "" };
    }
    return { path: null, why: ObjC.unwrap(error[0].localizedDescription) || "macOS did not say why" };
}
