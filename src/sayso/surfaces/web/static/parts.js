// Small parts of the page. All text is set as text, never as HTML, with characters that cannot be seen made visible.

// The same as `core.quotes.visible` takes for unseen; line ends and tabs stand here, since the page lays them out.
const PICTURE = "\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?";
const EMOJI = `[0-9#*]\\ufe0f\\u20e3|\\p{Regional_Indicator}{2}|\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}|${PICTURE}(?:\\u200d${PICTURE}){0,8}`;
const NOTHING = "(?![\\n\\t ])[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Cn}\\p{Z}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\u{1d159}\\u{e0000}-\\u{e0fff}]";
const LOOSE = "(?<![^\\s])\\p{M}|(?<=\\p{M}{4})\\p{M}";  // no letter before it, or so many that they cover other lines
const UNSEEN = new RegExp(`(${EMOJI})|${NOTHING}|${LOOSE}`, "gu");

/** @param {unknown} text */
export function visible(text) {
  return String(text).replace(UNSEEN, (one, emoji) => emoji ?? `⟨U+${/** @type {number} */ (one.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Return a date or number as the browser writes it, with blanks only: some languages have narrow ones. @param {string} written */
export const blanks = (written) => written.replace(/\p{Zs}/gu, " ").replace(/\p{Cf}/gu, "");

/**
 * Return a new element. Properties are attributes, except `on…`, which are listeners.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K|string} name @param {Record<string, any>} [properties] @param {...(Node|string|null|false|undefined)} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, properties = {}, ...inside) {
  const made = /** @type {HTMLElementTagNameMap[K]} */ (document.createElement(name));
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, String(value));
  }
  fill(made, ...inside);
  return made;
}

/** @param {Element} element @param {...(Node|string|null|false|undefined)} inside */
export function fill(element, ...inside) {
  const kept = /** @type {(Node|string)[]} */ (inside.filter((one) => one != null && one !== false && one !== ""));
  element.replaceChildren(...kept.map((one) => (typeof one === "string" ? visible(one) : one)));
  return element;
}

const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("sayso", { createHTML: (/** @type {string} */ html) => html });

/** Show HTML that the server has made and cleaned; nothing else may become HTML in this page. @param {Element} element @param {string} html */
export function prose(element, html) {
  element.innerHTML = policy ? policy.createHTML(html) : html;
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Return a part of a drawing. @param {string} name @param {Record<string, unknown>} properties @param {...(Element|string)} inside */
export function drawn(name, properties, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, String(value));
  fill(made, ...inside);
  return made;
}

/** Return a small drawing that says nothing by itself. @param {string} [path] the path that it draws, in 24 by 24 */
export function icon(path = "M6 6h12v12H6z") {
  return drawn("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": true }, drawn("path", { d: path }));
}

/** @param {string} title @param {string[]} texts @param {string} kind */
export function listed(title, texts, kind) {
  if (!texts?.length) return null;
  return make("div", { class: `told ${kind}` }, make("p", { class: "title" }, title), make("ul", {}, ...texts.map((one) => make("li", {}, plain(one)))));
}

/** Return words that are not sayso's between curly quotes, which they cannot end. @param {string} text */
export const quoted = (text) => `“${text.replace(/[“”]/g, "$&$&")}”`;

/** Return such words as an element, out of which no direction of theirs reaches. @param {string} text */
export const quote = (text) => make("bdi", {}, quoted(text));

/** Return at most so many letters of a text. @param {string} text @param {number} longest */
export function cut(text, longest) {
  const letters = [...text];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : text;
}

/** Return how many of them in words: “both”, or “all 5”. @param {number} count */
export const allOf = (count) => (count === 2 ? "both" : `all ${count.toLocaleString("en")}`);

/** Return a text without what makes no difference to a reader: capitals, quotes, blanks, stops. @param {string} text */
const bare = (text) => ` ${text.toLowerCase().replace(/[“”„«»"'‘’`]/g, "").split(/[\s.,;:!?]+/).filter(Boolean).join(" ")} `;

/** Whether what a model calls something tells more than sayso's sentence about it. @param {string|null|undefined} label @param {string} said */
export const tellsMore = (label, said) => Boolean(label) && !bare(said).includes(bare(label ?? ""));

/** @param {unknown} one */
export const plain = (one) => (typeof one === "string" ? one : JSON.stringify(one));

/** @param {Record<string, unknown>} values */
export function table(values) {
  const names = Object.keys(values ?? {});
  if (!names.length) return make("p", { class: "quiet" }, "none");
  return make("dl", {}, ...names.flatMap((name) => [make("dt", {}, name), make("dd", {}, values[name] instanceof Node ? values[name] : plain(values[name]))]));
}

/** @param {string} iso */
export function time(iso) {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return make("span", {}, iso);
  const today = moment.toDateString() === new Date().toDateString();
  return make("time", { datetime: iso, title: moment.toLocaleString() }, today ? dated(moment).slice(-5) : dated(moment));
}

/** Return a moment as sayso's sentences write it. @param {Date} moment */
export function dated(moment) {
  const [month, day, hour, minute] = [moment.getMonth() + 1, moment.getDate(), moment.getHours(), moment.getMinutes()].map((one) => String(one).padStart(2, "0"));
  return `${moment.getFullYear()}-${month}-${day} ${hour}:${minute}`;
}

/** @param {number} milliseconds */
export function lasting(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [number, unit] =
    seconds < 90 ? [seconds, "second"] : seconds < 5400 ? [Math.round(seconds / 60), "minute"]
      : seconds < 172800 ? [Math.round(seconds / 3600), "hour"] : [Math.round(seconds / 86400), "day"];
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** The code of what goes on in another run, as the person edited it. */
const EDITED = "edit.replaced";

/** What became of each action, as a list. @param {any} report */
export function results(report) {
  const all = report.results ?? [];
  if (!all.length) return make("p", {}, "Nothing was done.");
  return make("ul", { class: "results" }, ...all.map((/** @type {any} */ one) =>
    make("li", { class: tone(one) },
      state(one), make("span", { class: "what" }, all.length > 1 ? named(one) : outcome(one)))));
}

/** What became of one of several actions, with what it was planned to do if it failed. @param {any} one */
function named(one) {
  const [told, planned] = [outcome(one), one.plan?.summary];
  return one.success || !planned || told === planned ? deed(one) : `${planned}: ${told}`;
}

/** Return how what became of an action looks: good, bad, or neither: one's own no is no error, nor is what still waits. @param {any} one */
export const tone = (one) => (one.success ? "good" : ["declined", "waiting"].includes(one.state) ? "open" : "bad");

/** Return in one word what became of an action, as an element. @param {any} one */
export const state = (one) => make("span", { class: `state ${one.state}` }, one.state === "undone" ? "taken back" : one.code === EDITED ? "edited" : one.state);

/** What came of an action; of one that was taken back, what it was, and not that it is done. @param {any} one */
export function outcome(one) {
  if (one.state === "undone" && one.plan && !one.message?.startsWith("taken back")) return one.plan.summary;
  const told = one.success ? one.message : one.code === EDITED ? one.error?.split(";")[0] : one.error;
  return told || one.plan?.summary || one.operation || one.state;
}

/** What was done, to what: what came of it if that names a thing, and else what was planned, as done. @param {any} one */
export function deed(one) {
  const [told, planned] = [outcome(one), one.plan?.summary];
  if (!one.success || !planned) return planned || told;
  return told.includes("“") ? told : asDone(planned, told);
}

/** Return what was planned as done, if what came of it begins with the same verb: “Moved file” and “Move “a” to “b””. @param {string} planned @param {string} told */
function asDone(planned, told) {
  const [verb, done] = [planned, told].map((one) => one.split(" ", 1)[0]);
  const same = verb.slice(0, 3) === done.slice(0, 3) || (verb === "Write" && done === "Wrote");
  return same ? `${done}${planned.slice(verb.length)}` : planned;
}

/** Where an action was asked for, by how the journal names it. */
export const ENTRIES = /** @type {Record<string, string>} */ ({
  cli: "the terminal", command: "the terminal", chat: "a chat", commands: "a single request", page: "this page", mcp: "an agent (MCP)", hook: "a coding agent",
  library: "a program", template: "an action of yours", automation: "automation", reminders: "a reminder", undo: "an undo",
});

/** @param {string} entry */
export const askedFrom = (entry) => ENTRIES[entry] ?? entry;

/** Say something to screen readers. @param {string} text */
export function announce(text) {
  const place = document.getElementById("said");
  if (place) place.textContent = visible(text);
}
