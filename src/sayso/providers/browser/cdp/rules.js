// Removes speculation rules from a page before the browser reads them, so that it does not load other pages in advance.
(() => {
  const rules = (node) => node.localName === "script" && (node.getAttribute("type") || "").trim().toLowerCase() === "speculationrules";
  const empty = (node) => { if (rules(node)) { node.textContent = ""; node.remove(); } };
  const seen = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    empty(node);
    node.querySelectorAll("script").forEach(empty);
  };
  const watching = new MutationObserver((records) => {
    for (const record of records) {
      if (record.target.nodeType === Node.ELEMENT_NODE) empty(record.target);
      record.addedNodes.forEach(seen);
    }
  });
  watching.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["type"] });
})();
