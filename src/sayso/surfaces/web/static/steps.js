// What a card says of one action: what is lost or sent, what it would look like, every argument, and the way back.

import { dated, drawn, icon, listed, make, plain, quote, tellsMore, visible } from "./parts.js";

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const MANY_BLANKS = / {24,}/g;
const MANY_LINES = /\n{5,}/g;

/** Return all that a card shows of one action, below its summary. @param {any} step @param {{why?: boolean, back?: boolean, called?: boolean}} [how] */
export function stepBody(step, { why = true, back = true, called = true } = {}) {
  const body = make("div", { class: "body" },
    listed("Look closely", step.looks, "danger"),
    listed("Is lost", step.loses, "danger"),
    listed("Is sent", step.sends, "danger"),
    listed("May leave this computer", step.reaches, "warn"),
    listed("Mind", step.warns, "warn"),
    ...step.shows.map(preview),
    argumentsOf(step.rows.filter((/** @type {any} */ row) => !row.shown)),
    (back || step.lost) && wayBack(step),
    why && step.asks && step.why && make("p", { class: "quiet" }, `sayso asks because ${step.why}.`),
    called && tellsMore(step.label, step.text) && make("p", { class: "quiet" }, "The model calls it ", quote(step.label), "."),
    make("details", {}, make("summary", {}, "Exactly"),
      argumentsOf(step.rows.filter((/** @type {any} */ row) => row.shown)), make("p", { class: "exactly" }, step.exactly)));
  return body;
}

/** @param {any} step */
export function wayBack(step) {
  return make("p", { class: step.lost ? "way lost" : "way" }, icon(step.lost ? "M12 8v5m0 3h.01M12 3l9 16H3z" : "M9 14L4 9l5-5M4 9h9a6 6 0 010 12h-2"),
    make("span", {}, make("strong", {}, "Way back: "), step.undo));
}

/** Return why the actions of some steps are asked about, each reason once. @param {any[]} steps @param {number[]} numbers of the steps */
export function asking(steps, numbers) {
  const whys = new Map();
  steps.forEach((one, at) => one.asks && one.why && whys.set(one.why, [...(whys.get(one.why) ?? []), numbers[at]]));
  return [...whys].map(([why, of]) => make("p", { class: "quiet" }, of.length < steps.length ? `${of.join(", ")}: ` : "", `sayso asks because ${why}.`));
}

/** @param {any[]} rows */
function argumentsOf(rows) {
  return rows.length > 0 && make("dl", { class: "arguments" }, ...rows.flatMap((row) => [make("dt", {}, row.name), make("dd", {}, value(row))]));
}

/** @param {any} row */
function value(row) {
  if (row.repeats) return `${row.text.length.toLocaleString("en")} characters, as shown above`;
  if (row.text === null || (row.text.length <= 200 && !row.text.includes("\n"))) return row.value;
  return make("div", {}, make("p", { class: "quiet" }, `${row.text.length.toLocaleString("en")} characters`), block(row.text));
}

/** A text as it is; only very many blanks or empty lines are counted instead. @param {string} text @param {string} [name] */
function block(text, name = "Text") {
  const shown = text.replace(MANY_BLANKS, (run) => `⟨${run.length.toLocaleString("en")} blanks⟩`)
    .replace(MANY_LINES, (lines) => `\n⟨${(lines.length - 1).toLocaleString("en")} empty lines⟩\n`);
  return make("pre", { tabindex: 0, role: "region", "aria-label": name }, shown);
}

/** @param {any} one */
function preview(one) {
  return { diff, mail, tabs, windows, change }[/** @type {"diff"} */ (one.kind)]?.(one) ?? block(one.text, "Preview");
}

/** @param {any} one */
function diff(one) {
  const lines = one.text.split("\n").map((/** @type {string} */ line, /** @type {number} */ at) => {
    const head = at < 2 && /^(---|\+\+\+) /.test(line);
    const kind = head || line.startsWith("@@") ? "head" : line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "";
    return make("span", kind ? { class: kind } : {}, `${line}\n`);
  });
  return make("pre", { class: "diff", tabindex: 0, role: "region", "aria-label": "What changes: + is added, - is removed" }, ...lines);
}

/** @param {any} one */
function mail(one) {
  return make("div", { class: "mail", role: "group", "aria-label": one.draft ? "The draft" : "The mail" },
    make("dl", {}, ...one.people.flatMap((/** @type {any} */ who) =>
      [make("dt", {}, who.name), make("dd", {}, ...who.values.map((/** @type {string} */ address) => make("span", { class: "person" }, address)))]),
    make("dt", {}, "Subject"), make("dd", { class: "subject" }, one.subject || "(none)")),
    one.body ? block(one.body, "The whole body") : make("p", { class: "quiet" }, "It has no text."));
}

/** @param {any} one */
function tabs(one) {
  return make("ul", { class: "tabs", "aria-label": "Tabs" }, ...one.tabs.map((/** @type {string} */ tab) => make("li", {}, tab)));
}

/** @param {any} one */
function change(one) {
  return make("table", { class: "differs" },
    make("thead", {}, make("tr", {}, make("td", {}), make("th", { scope: "col" }, "Now"), make("th", { scope: "col" }, "Then"))),
    make("tbody", {}, ...one.rows.map((/** @type {any} */ row) => {
      const same = plain(row.before) === plain(row.after);
      return make("tr", same ? { class: "same" } : {}, make("th", { scope: "row" }, row.name),
        make("td", {}, cell(row.before)), make("td", {}, same ? "the same" : cell(row.after)));
    })));
}

/** @param {unknown} told */
function cell(told) {
  if (told === null || told === undefined || told === "") return make("span", { class: "quiet" }, "nothing");
  if (typeof told === "boolean") return told ? "yes" : "no";
  if (typeof told !== "string" || !MOMENT.test(told) || Number.isNaN(Date.parse(told))) return plain(told);
  return make("time", { datetime: told }, told.endsWith("Z") ? dated(new Date(told)) : told.slice(0, 16).replace("T", " "));
}

/** @param {any} one */
function windows(one) {
  const places = one.windows.flatMap((/** @type {any} */ at) => [at.before, at.after]).filter(Boolean);
  const all = [...one.monitors.map((/** @type {any} */ monitor) => monitor.edges), ...places];
  const [left, top] = [0, 1].map((at) => Math.min(...all.map((edges) => edges[at])));
  const [right, bottom] = [2, 3].map((at) => Math.max(...all.map((edges) => edges[at])));
  const unit = (right - left) / 100 || 1;
  const told = one.windows.map((/** @type {any} */ at) => `${at.name}: ${at.before ? `from ${words(at.before)} ` : ""}to ${words(at.after)}`).join("; ");
  const viewBox = [left - unit, top - unit, right - left + 2 * unit, bottom - top + 2 * unit].join(" ");
  return make("figure", {}, drawn("svg", { viewBox, class: "monitors", role: "img", "aria-label": visible(told) },
    ...one.monitors.flatMap((/** @type {any} */ { edges, name }) => box("monitor", edges, name, unit)),
    ...one.windows.flatMap((/** @type {any} */ { before }) => (before ? box("before", before, "", unit) : [])),
    ...one.windows.flatMap((/** @type {any} */ { after, name }) => box("after", after, name, unit))), make("figcaption", { class: "quiet" }, told));
}

/** @param {number[]} edges */
const words = ([left, top, right, bottom]) => `${right - left} × ${bottom - top} at ${left}, ${top}`;

/** @param {string} kind @param {number[]} edges @param {string} name @param {number} unit */
function box(kind, [left, top, right, bottom], name, unit) {
  const frame = drawn("rect", { x: left, y: top, width: right - left, height: bottom - top, rx: unit, class: kind });
  if (!name) return [frame];
  return [frame, drawn("text", { x: left + 1.5 * unit, y: kind === "monitor" ? bottom - 1.5 * unit : top + 4 * unit, "font-size": 3 * unit }, name)];
}
