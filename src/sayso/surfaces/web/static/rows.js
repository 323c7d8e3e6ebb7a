// Lists whose rows stay the same elements while the list is read anew, and what several views do with their rows.

import { Problem, whyNot } from "./api.js";
import { Deliberate } from "./deliberate.js";
import { blanks, fill, icon, make, table } from "./parts.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

/**
 * Put one element for each item into a list, in order; an item that was there before keeps its element and its focus.
 * @template T @param {Element} list @param {T[]} items @param {(item: T) => string} key @param {() => any} create an element with `show(item)`
 */
export function keep(list, items, key, create) {
  const old = new Map([...list.children].map((/** @type {any} */ one) => [one.key, one]));
  const wanted = items.map((item) => {
    const element = old.get(key(item)) ?? create();
    element.key = key(item);
    const told = JSON.stringify(item);
    if (element.drawn !== told) {
      element.drawn = told;
      element.show(item);
    }
    return element;
  });
  const kept = new Set(wanted);
  for (const one of [...list.children]) if (!kept.has(one)) one.remove();
  wanted.forEach((one, place) => {
    if (list.children[place] !== one) list.insertBefore(one, list.children[place] ?? null);
  });
  return wanted;
}

/** Return a button that shows only a drawing. @param {string} path @param {string} says @param {(event: Event) => void} onclick @param {Record<string, any>} [more] */
export function tool(path, says, onclick, more = {}) {
  return make("button", { type: "button", class: "plain tool", "aria-label": says, title: says, onclick, ...more }, icon(path));
}

export const DRAW = {
  add: "M12 5v14M5 12h14",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  drop: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  check: "M5 13l4 4L19 7",
};

/**
 * Do something at a click, say how it went in `note`, and read the view anew. Returns what was answered; null if it failed.
 * @param {Element} note @param {() => Promise<any>} act @param {(answer: any) => string|Node} [says]
 */
export async function attempt(note, act, says) {
  note.classList.remove("bad");
  fill(note);
  let answer;
  try {
    answer = await act();
    const failed = (answer?.results ?? []).find((/** @type {any} */ one) => !one.success);
    if (failed?.state === "waiting") fill(note, "This asks you once more. ", make("a", { href: "#waiting" }, "Look at what waits"));
    else if (failed) tellWrong(note, failed.error);
    else if (says) fill(note, says(answer));
    if (!failed) offerUndo(answer ?? {});
    else if (failed.state !== "waiting") answer = null;
  } catch (problem) {
    tellWrong(note, whyNot(problem));
  }
  store.refresh();
  return answer ?? null;
}

/** @param {Element} note @param {string} text */
function tellWrong(note, text) {
  note.classList.add("bad");
  fill(note, /[.!?]$/.test(text) ? text : `${text}.`);
}

/**
 * Change what sayso may do. What lets it do more is shown first, and sent with the word for it after a yes that was meant.
 * Returns what was answered; null if it failed, or if the person said no.
 * @param {Element} note @param {(nonce: string) => Promise<any>} send @param {(answer: any) => string|Node} [says]
 * @param {string} [yes] what stands on the button for the yes
 */
export async function confirmed(note, send, says, yes = "Yes, change it") {
  let nonce = "";
  for (;;) {
    try {
      const answer = await send(nonce);
      note.classList.remove("bad");
      fill(note, says?.(answer));
      return answer;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code !== "page.sure") {
        tellWrong(note, problem.message);
        return null;
      }
      if (!(await meant(note, problem, yes))) return null;
      nonce = problem.body.nonce;
    } finally {
      store.refresh();
    }
  }
}

/** Ask whether a change is meant. @param {Element} note @param {Problem} asked @param {string} says what stands on the button for the yes @returns {Promise<boolean>} */
function meant(note, asked, says) {
  return new Promise((done) => {
    const [start, end] = [make("span", { class: "edge" }), make("span", { class: "edge" })];
    const why = make("p", { class: "note", role: "status" });
    const close = (/** @type {boolean} */ yes) => {
      deliberate.stop();
      fill(note);
      done(yes);
    };
    const no = make("button", { type: "button", onclick: () => close(false) }, "No, leave it");
    const yes = make("button", { type: "button", class: "yes", onclick: (/** @type {Event} */ event) => {
      const refusal = deliberate.refusal(event);
      if (refusal) fill(why, refusal);
      else close(true);
    } }, says);
    note.classList.remove("bad");
    const question = fill(make("article", { class: "sure" }), start, make("p", {}, make("strong", {}, asked.message)), asked.body.shown?.name !== "policy.paused" && table(worded(asked.body.shown ?? {})), why,
      make("div", { class: "answers" }, end, no, yes));
    fill(note, question);
    const deliberate = new Deliberate(start, end);
    Object.assign(question, { deliberate });
    no.focus();
  });
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Return when a trigger starts, in words where it is at one time of every day, or of some days of the week. @param {string} when */
export function often(when) {
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:,[0-7])*)$/.exec(when) ?? [];
  if (!days) return when;
  const named = days === "*" ? "day" : days.split(",").map((one) => DAYS[Number(one) % DAYS.length]).join(", ");
  return `every ${named} at ${hour}:${minute.padStart(2, "0")}`;
}

/** @param {Record<string, any>} shown */
function worded(shown) {
  const date = (/** @type {string} */ iso) => blanks(new Date(iso).toLocaleString(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }));
  const told = (/** @type {any} */ value) => (Array.isArray(value) ? value.join(", ") || "nothing" : value === true ? "on" : value === false ? "off" : value ?? "not set");
  const setting = "after" in shown;
  const names = /** @type {Record<string, string>} */ (setting ? { before: "now", after: "then" } : { due: "next times" });
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !setting || name !== "name")
    .map(([name, value]) => [names[name] ?? name, name === "due" ? value.map(date).join("; ") : name === "when" && typeof value === "string" ? often(value) : told(value)]));
}
