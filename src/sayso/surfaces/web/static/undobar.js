// The undo bar: for ten seconds after something was done, one click takes it back, the newest first.

import { api, whyNot } from "./api.js";
import { undoKey } from "./keys.js";
import { allOf, announce, deed, fill, make, results } from "./parts.js";
import { store } from "./store.js";

const SECONDS = 10;
const bar = /** @type {HTMLElement} */ (document.getElementById("undo"));
const told = make("span", { class: "seconds", "aria-hidden": "true" });
/** @type {{id: string, what: string, ends: number}[]} Each action that can be taken back here, the newest last. */
let offers = [];
let busy = false;
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
  const ends = performance.now() + SECONDS * 1000;
  offers = [...offers, ...done.map((/** @type {any} */ one) => ({ id: one.undo, what: text ?? deed(one), ends }))];
  draw();
  announce(`${text ?? deed(done.at(-1))}. It can be taken back for ${SECONDS} seconds.`);
}

function draw() {
  clearInterval(timer);
  if (!offers.length) return hide();
  const { what } = /** @type {any} */ (offers.at(-1));
  const others = offers.length - 1;
  const button = (/** @type {string} */ label, /** @type {number} */ many) => make("button", { type: "button", onclick: (/** @type {Event} */ event) => event.isTrusted && takeOffered(many) }, label);
  const close = make("button", { type: "button", class: "plain", "aria-label": "Keep it, and close this", onclick: hide }, "✕");
  fill(bar, make("p", {}, what, others > 0 && `, and ${others} more before it`), told, button("Undo", 1), others > 0 && button(`Undo ${allOf(others + 1)}`, others + 1), close);
  bar.className = "open";
  timer = setInterval(tick, 200);
  tick();
}

function tick() {
  if (busy) return;
  const now = performance.now(), before = offers.length;
  offers = offers.filter((one) => one.ends > now);
  if (offers.length !== before) return draw();
  fill(told, `${Math.ceil((/** @type {any} */ (offers.at(-1)).ends - now) / 1000)} s`);
}

function hide() {
  clearInterval(timer);
  offers = [];
  bar.className = "";
  fill(bar);
}

/** @param {number} many how many are taken back, the newest first */
async function takeOffered(many) {
  if (busy || !offers.length) return;
  tick();
  const ids = offers.slice(-many).map((one) => one.id);
  if (!ids.length) return;
  busy = true;
  for (const button of bar.querySelectorAll("button:not(.plain)")) {
    button.textContent = "...";
    button.setAttribute("aria-disabled", "true");
  }
  await takeBack(ids);
}

/** Take actions back, the last one first, and show in the bar what came of it. @param {string[]} ids */
export async function takeBack(ids) {
  try {
    const reports = [];
    for (const id of [...new Set(ids)].toReversed()) reports.push(...(await api.undo(id)).results);
    show(ids, results({ results: reports }), reports.every((one) => one.success) ? "Taken back." : "Not all was taken back.");
  } catch (problem) {
    show(ids, whyNot(problem), whyNot(problem));
  }
  store.refresh();
}

/** Show what came of these, and offer to take back what was done before them. @param {string[]} ids @param {Node|string} inside @param {string} said */
function show(ids, inside, said) {
  busy = false;
  offers = offers.filter((one) => !ids.includes(one.id));
  const result = typeof inside === "string" ? make("p", { class: "bad" }, inside) : inside;
  announce(said);
  if (offers.length) {
    draw();
    bar.prepend(result);
    return;
  }
  clearInterval(timer);
  bar.className = "open";
  fill(bar, result, make("button", { type: "button", class: "plain", "aria-label": "Close this", onclick: hide }, "✕"));
  timer = setInterval(hide, SECONDS * 1000);
}

undoKey.press = () => {
  if (!offers.length) return false;
  takeOffered(1);
  return true;
};
