// Replaces the content of the clipboard with a text, or with items as clipboard_read returns them. Returns the text that
// the clipboard has then (null for none), and whether macOS took the content.
function main({ text, items }) {
    ObjC.import("AppKit");
    const board = $.NSPasteboard.generalPasteboard;
    changing();
    board.clearContents;
    const took = text !== undefined ? board.setStringForType($(text), $.NSPasteboardTypeString) : put(board, items);
    const now = ObjC.unwrap(board.stringForType($.NSPasteboardTypeString));
    return { took, text: now === undefined ? null : now };
}

function put(board, items) {
    const objects = items.map((types) => {
        const item = $.NSPasteboardItem.alloc.init;
        for (const [type, base64] of Object.entries(types)) {
            item.setDataForType($.NSData.alloc.initWithBase64EncodedStringOptions($(base64), 0), $(type));
        }
        return item;
    });
    return objects.length === 0 || board.writeObjects($(objects));
}
