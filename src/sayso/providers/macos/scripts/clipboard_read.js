// Returns the clipboard's text (null where it has none), whether it is a password, and its items, if they are wanted:
// of each item, its types with their data in base64. `missing` are types whose data is not handed over.
function main({ items: wanted, most }) {
    ObjC.import("AppKit");
    const board = $.NSPasteboard.generalPasteboard;
    const types = ObjC.deepUnwrap(board.types) || [];
    const text = ObjC.unwrap(board.stringForType($.NSPasteboardTypeString));
    const items = [], missing = [];
    let size = 0;
    const held = board.pasteboardItems;
    for (let at = 0; wanted && at < held.count; at++) {
        const item = held.objectAtIndex(at);
        const kept = {};
        for (const type of ObjC.deepUnwrap(item.types)) {
            const data = item.dataForType(type);
            if (data.isNil() || size + Number(data.length) > most) {
                missing.push(type);
                continue;
            }
            size += Number(data.length);
            kept[type] = ObjC.unwrap(data.base64EncodedStringWithOptions(0));
        }
        items.push(kept);
    }
    return {
        text: text === undefined ? null : text,
        secret: types.includes("org.nspasteboard.ConcealedType"),
        items,
        missing,
    };
}
