// Single keys, for those who want them: they can be switched off, and are never taken from a field that is typed into.

import { announce, make } from "./parts.js";

const STORED = "sayso.keys";
const KEYS = [
  ["J", "go to the next card or row"],
  ["K", "go to the one before"],
  ["N", "go to the newest of what waits"],
  ["A", "say yes to the card that you are on"],
  ["R", "say no to it"],
  ["E", "edit it"],
  ["X", "tick or untick the step that you are on"],
  ["U", "take back what was just done, or the row that you are on"],
  ["/", "type: a message, or what to find"],
  ["Esc", "close what is open; go from the message to what can be answered"],
  ["?", "show these keys"],
];

export const keys = {
  on: localStorage.getItem(STORED) !== "off",
  /** @param {boolean} on */
  set(on) {
    keys.on = on;
    localStorage.setItem(STORED, on ? "on" : "off");
  },
};

const box = make("input", { type: "checkbox", onchange: () => keys.set(box.checked) });
const dialog = make("dialog", { "aria-labelledby": "keys" },
  make("h2", { id: "keys" }, "Keys"),
  make("dl", {}, ...KEYS.flatMap(([key, does]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)])),
  make("p", { class: "quiet" }, "Tab and Shift+Tab reach everything. Nothing is ever answered by Enter or Space alone: the focus starts on No."),
  make("label", { class: "tick" }, box, "Single keys do something"),
  make("div", { class: "answers" }, make("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close")));

export function showKeys() {
  if (!dialog.isConnected) document.body.append(dialog);
  box.checked = keys.on;
  if (!dialog.open) dialog.showModal();
}

/** Return the view that is shown. */
const view = () => /** @type {HTMLElement|null} */ (document.querySelector("main > .view:not([hidden])"));

/** @param {EventTarget|null} target */
function isTypedInto(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target.isContentEditable || target.matches("textarea, select");
}

/** @param {number} by */
function move(by) {
  const items = /** @type {HTMLElement[]} */ ([...(view()?.querySelectorAll("[data-item], sayso-card, sayso-row") ?? [])]).filter((one) => one.checkVisibility());
  const now = items.findLastIndex((one) => one.contains(document.activeElement));
  const next = items[now === -1 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, now + by))];
  if (!next) return announce("There is nothing to go to here.");
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** Let what has the focus, or what is around it, do what a key means. @param {string} key @param {KeyboardEvent} event */
function give(key, event) {
  const shown = view();
  let one = shown?.contains(document.activeElement) ? document.activeElement : shown;
  for (; one; one = one === shown ? null : one.parentElement) {
    if ("pressed" in one && /** @type {any} */ (one).pressed(key, event)) return true;
  }
  return false;
}

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const OWN = {
  j: () => move(1),
  k: () => move(-1),
  "?": showKeys,
  n: (event) => {
    if (view()?.matches("sayso-waiting")) return void give("n", event);
    addEventListener("hashchange", () => give("n", event), { once: true });  // the page has shown the view by then
    location.hash = "waiting";
  },
  "/": () => /** @type {HTMLElement|null} */ (view()?.querySelector("textarea, input[type=search], input[type=text]"))?.focus(),
};

/** Called for “u” when nothing in the view takes it. */
export const undoKey = { press: () => false };

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const key = event.key === "Escape" ? "escape" : event.key.toLowerCase();
  if (key !== "escape" && (!keys.on || isTypedInto(event.target))) return;
  const own = OWN[key];
  const known = own !== undefined || ["a", "r", "e", "x", "u", "escape"].includes(key);
  if (!known || (event.repeat && !["j", "k"].includes(key))) return;
  if (own) own(event);
  else if (!give(key, event) && !(key === "u" && undoKey.press())) return;
  event.preventDefault();
});
