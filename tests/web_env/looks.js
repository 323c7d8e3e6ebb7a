// Return what is wrong with how the page looks: text that is cut, that runs out of the window, or that lies over other text.
() => {
  const faults = new Set();
  const name = (it) => `${it.closest("[class]")?.className || it.localName} “${it.textContent.trim().replace(/\s+/g, " ").slice(0, 40)}”`;
  const unseen = (it) => it.closest(".unseen") || !it.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  const styles = new Map();
  const style = (it) => styles.get(it) ?? styles.set(it, getComputedStyle(it)).get(it);
  const scrolls = (it, axis) => ["auto", "scroll"].includes(style(it)[`overflow${axis}`]);
  const clips = (it) => ["hidden", "clip"].includes(style(it).overflowX) || ["hidden", "clip"].includes(style(it).overflowY);
  const ancestors = function* (it) { for (; it && it !== document.documentElement; it = it.parentElement) yield it; };
  const layer = (it) => [...ancestors(it)].find((one) => ["fixed", "sticky"].includes(style(one).position) || one.localName === "dialog" || one.popover) ?? document.body;

  if (document.documentElement.scrollWidth > innerWidth + 1) faults.add(`the page is ${document.documentElement.scrollWidth - innerWidth} px wider than the window`);
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const it = text.parentElement;
    if (!text.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "SELECT", "TEXTAREA", "TITLE"].includes(it.tagName) || unseen(it)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      const movable = [...ancestors(it)].some((one) => scrolls(one, "X"));
      if (!movable && (box.left < -1 || box.right > innerWidth + 1) && !it.closest(".skip")) faults.add(`runs out of the window: ${name(it)}`);
      for (const one of ancestors(it)) {
        if (!clips(one) || scrolls(one, "X") || scrolls(one, "Y")) continue;
        const edge = one.getBoundingClientRect();
        if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 3 || box.bottom > edge.bottom + 3) faults.add(`is cut: ${name(it)}`);
      }
      lines.push({ it, box, layer: layer(it) });
    }
  }
  for (const field of document.querySelectorAll("button, select, [role=button]")) {
    if (!unseen(field) && field.localName !== "select" && field.scrollWidth > field.clientWidth + 1) faults.add(`is wider than its button: ${name(field)}`);
  }
  lines.sort((one, other) => one.box.top - other.box.top);
  lines.forEach((one, place) => {
    for (let next = place + 1; next < lines.length && lines[next].box.top < one.box.bottom - 3; next++) {
      const other = lines[next];
      if (other.it === one.it || other.layer !== one.layer) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 3 && high > 4) faults.add(`lies over other text: ${name(one.it)} and ${name(other.it)}`);
    }
  });
  return [...faults];
}
