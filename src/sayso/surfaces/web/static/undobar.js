// The undo bar: for ten seconds after something was done, one click takes it back.

import { api, whyNot } from "./api.js";
import { undoKey } from "./keys.js";
import { announce, deed, fill, make, results } from "./parts.js";
import { store } from "./store.js";

const SECONDS = 10;
const bar = /** @type {HTMLElement} */ (document.getElementById("undo"));
/** @type {{ids: string[], ends: number, told: Element, button: HTMLElement, busy: boolean}|null} */
let offer = null;
/** @type {number|undefined} */
let timer;

/**
 * Offer to take back what was just done.
 * @param {any} report what `decide` or an offer answered, with the ids that can be taken back
 * @param {string} [text] what was done
 */
export function offerUndo(report, text) {
  const done = (report.results ?? []).filter((/** @type {any} */ one) => one.undo);
  if (!done.length) return;
  const told = make("span", { class: "seconds", "aria-hidden": "true" });
  const button = make("button", { type: "button", onclick: (/** @type {Event} */ event) => event.isTrusted && takeOffered() }, "Undo");
  const close = make("button", { type: "button", class: "plain", "aria-label": "Keep it, and close this", onclick: hide }, "✕");
  offer = { ids: done.map((/** @type {any} */ one) => one.undo), ends: performance.now() + SECONDS * 1000, told, button, busy: false };
  const more = done.length > 1 ? `, and ${done.length - 1} more` : "";
  const what = text ?? `${deed(done[0])}${more}`;
  fill(bar, make("p", {}, what), told, button, close);
  bar.className = "open";
  announce(`${what}. It can be taken back for ${SECONDS} seconds.`);
  clearInterval(timer);
  timer = setInterval(tick, 200);
  tick();
}

function tick() {
  if (!offer || offer.busy) return;
  const left = offer.ends - performance.now();
  if (left <= 0) return hide();
  fill(offer.told, `${Math.ceil(left / 1000)} s`);
}

function hide() {
  clearInterval(timer);
  offer = null;
  bar.className = "";
  fill(bar);
}

async function takeOffered() {
  if (!offer || offer.busy) return;
  if (performance.now() >= offer.ends) return hide();
  offer.busy = true;
  fill(offer.button, "...");
  offer.button.setAttribute("aria-disabled", "true");
  await takeBack(offer.ids);
}

/** Take actions back, the last one first, and show in the bar what came of it. @param {string[]} ids */
export async function takeBack(ids) {
  try {
    const reports = [];
    for (const id of [...new Set(ids)].toReversed()) reports.push(...(await api.undo(id)).results);
    show(results({ results: reports }), reports.every((one) => one.success) ? "Taken back." : "Not all was taken back.");
  } catch (problem) {
    show(whyNot(problem), whyNot(problem));
  }
  store.refresh();
}

/** @param {Node|string} inside @param {string} said */
function show(inside, said) {
  clearInterval(timer);
  offer = null;
  bar.className = "open";
  const close = make("button", { type: "button", class: "plain", "aria-label": "Close this", onclick: hide }, "✕");
  fill(bar, typeof inside === "string" ? make("p", { class: "bad" }, inside) : inside, close);
  announce(said);
  timer = setInterval(hide, SECONDS * 1000);
}

undoKey.press = () => {
  if (!offer) return false;
  takeOffered();
  return true;
};
