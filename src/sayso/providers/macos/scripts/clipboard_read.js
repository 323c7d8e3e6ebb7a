// Returns the text of the clipboard, its types, and the number that rises with each change of it.
function main() {
    ObjC.import("AppKit");
    const board = $.NSPasteboard.generalPasteboard;
    const text = ObjC.unwrap(board.stringForType($.NSPasteboardTypeString));
    return {
        text: text === undefined ? null : text,
        types: ObjC.deepUnwrap(board.types) || [],
        changes: board.changeCount,
    };
}
