// The focus never falls to the page itself: when what has it goes, is hidden or is made anew, the next best thing gets it.
// A yes is never that, so that a key that is pressed twice answers nothing.

const USABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const NEVER = ".yes, .offers button:not(.no), [disabled]";
const MOST = 8;

/** What had the focus, the latest first, each with the elements around it and the places of those among their siblings. */
let had = /** @type {{element: HTMLElement, name: string, kind: string, around: {element: Element, place: number}[]}[]} */ ([]);

const isShown = (/** @type {Element} */ one) => one.isConnected && one.checkVisibility() && !one.matches(":disabled");

/** What tells a thing from others in one row, also when it was made anew. @param {Element} one */
const nameOf = (one) => [one.tagName, one.id, one.getAttribute("aria-label") ?? one.getAttribute("data-id") ?? (one.children.length ? one.className : one.textContent)].join("|");

const kindOf = (/** @type {Element} */ one) => `${one.tagName} ${one.className}`;

const isRow = (/** @type {Element} */ one) => one.matches("li, [data-item], [data-row]") || one.tagName.includes("-");

/** @param {Element} one */
const mayGet = (one) => isShown(one) && !one.matches(NEVER);

/** @param {Element} inside */
const usable = (inside) => /** @type {HTMLElement[]} */ ([...inside.querySelectorAll(USABLE)]).filter(mayGet);

document.addEventListener("focusin", ({ target }) => {
  const element = /** @type {HTMLElement} */ (target);
  const around = [];
  for (let one = /** @type {Element} */ (element); one.parentElement; one = one.parentElement) {
    around.push({ element: one, place: [...one.parentElement.children].indexOf(one) });
  }
  had = [{ element, name: nameOf(element), kind: kindOf(element), around }, ...had.filter((one) => one.element !== element)].slice(0, MOST);
});

// A click beside everything takes the focus away because the person wants it so.
addEventListener("pointerdown", ({ target }) => {
  if (target instanceof Element && !target.closest(`${USABLE}, label`)) had = [];
}, true);

/** Return what gets the focus after what had it. @returns {HTMLElement|undefined} */
function next() {
  const [{ element, name, kind, around }, ...before] = had;
  if (isShown(element)) return element;  // it was only moved
  const at = around.findIndex((one) => isShown(one.element));
  const place = around[at]?.element ?? document.body;
  const gone = around[at - 1];
  const main = /** @type {HTMLElement|null} */ (document.querySelector("main > .view:not([hidden]) h1"));
  if (!gone || place === document.body || place.matches("main")) return before.find((one) => !place.matches("main") && mayGet(one.element))?.element ?? main ?? undefined;
  if (!isRow(gone.element) || isShown(gone.element)) {
    const all = usable(place);
    const again = all.find((one) => nameOf(one) === name) ?? all.find((one) => kindOf(one) === kind);
    if (again) return again;
  }
  const row = around.slice(at).find((one) => isRow(one.element))?.element;
  const asked = before.find((one) => mayGet(one.element) && (row ?? place.closest("section, .view"))?.contains(one.element));
  if (asked && !isRow(gone.element)) return asked.element;
  const sibling = /** @type {HTMLElement|undefined} */ (place.children[Math.min(gone.place, place.children.length - 1)]);
  const other = isRow(gone.element) && sibling && mayGet(sibling) ? sibling : undefined;
  return other ?? usable(place)[0] ?? /** @type {HTMLElement|undefined} */ (row) ?? main ?? undefined;
}

/** Give the focus back if nothing has it. @param {boolean} [later] whether this was put off already */
function look(later = false) {
  const now = document.activeElement;
  if (!had.length || !document.hasFocus() || (now && now !== document.body && isShown(now))) return;
  const found = next();
  if (!found) return;
  // While the caret goes from one part of a date to the next, the browser says that nothing has the focus.
  if (!later && found === had[0].element) return void setTimeout(() => look(true));
  if (!found.matches(USABLE)) found.tabIndex = -1;
  found.focus({ preventScroll: true });
}

new MutationObserver(() => look()).observe(document.body, { childList: true, subtree: true, attributeFilter: ["hidden", "disabled", "class", "open"] });
