// What was done, newest first: found again, looked at, taken back one by one or all since a moment, proven and saved.

import { api, whyNot } from "./api.js";
import { ENTRIES, announce, askedFrom, fill, make, outcome, results, state, table, time, tone } from "./parts.js";
import { Rewind } from "./rewind.js";
import { keep } from "./rows.js";
import { stepBody } from "./steps.js";
import { WAYS } from "./waiting.js";

const STATES = ["waiting", "running", "done", "unchanged", "failed", "refused", "declined", "expired", "invalid", "skipped", "unknown", "planned", "undone"];
const BY = { click: "a click here", terminal: "the terminal", command: "a command", notification: "a notification", grant: "a permission", flag: "--yes", client: "the program that asked" };
const PAGE = 50;
const PAUSE = 250;

/** @param {string} name @param {Record<string, string>} choices @param {() => void} onchange */
function choice(name, choices, onchange) {
  return make("select", { "aria-label": name, onchange }, make("option", { value: "" }, name),
    ...Object.entries(choices).map(([value, label]) => make("option", { value }, label)));
}

/** The places to choose from; those of one name are looked for together. @returns {Record<string, string>} */
function places() {
  const keys = (/** @type {string} */ label) => Object.keys(ENTRIES).filter((one) => ENTRIES[one] === label).join(",");
  return Object.fromEntries([...new Set(Object.values(ENTRIES))].map((label) => [keys(label), label]));
}

/** A moment as everywhere on the page, with how the journal writes it for who points at it. @param {string} iso */
const exact = (iso) => Object.assign(time(iso), { title: iso });

class Row extends HTMLElement {
  note = make("div", { class: "note", role: "status" });
  inside = make("div", { class: "inside" });
  more = make("details", { ontoggle: () => this.open() }, make("summary", {}, "Details"), this.inside);

  /** @param {any} row */
  show(row) {
    this.row = row;
    const undo = row.undo && make("button", { type: "button", class: "undo", onclick: () => this.askUndo() }, "Undo…");
    const told = outcome(row);
    const by = row.approved_by && (/** @type {Record<string, string>} */ (WAYS)[row.approved_by] ?? `by ${row.approved_by}`);
    fill(this, make("article", {},
      make("div", { class: "line" },
        state(row),
        make("div", { class: "what" },
          make("p", { class: "text" }, row.title),
          told !== row.title && row.state !== "waiting" && make("p", { class: tone(row) === "bad" ? "quiet wrong" : "quiet" }, told),
          make("p", { class: "quiet" }, time(row.time), row.entry ? ` · from ${askedFrom(row.entry)}` : "", by ? ` · ${row.code === "edit.replaced" ? "edited" : row.state === "declined" ? "no" : "yes"} ${by}` : "")),
        undo),
      this.note, this.more));
  }

  async open() {
    if (!this.more.open) return;
    try {
      const { row, card } = await api.row(this.row.id);
      const when = row.ended_at ?? row.time;
      fill(this.inside,
        stepBody({ ...card, asks: false, undo: row.undo ? "it can be taken back now" : "there is none now", lost: false }),
        table({ id: row.id, run: row.run, ...(row.digest ? { digest: row.digest } : {}), ...(row.decided_at ? { decided: exact(row.decided_at) } : {}), ...(row.ended_at ? { ended: exact(row.ended_at) } : {}) }),
        ["done", "undone"].includes(row.state) && make("div", { class: "answers" },
          make("button", { type: "button", class: "plain", onclick: () => /** @type {History} */ (this.closest("sayso-history")).rewindTo(when) }, "Rewind to before this…")));
    } catch (problem) {
      fill(this.inside, whyNot(problem));
    }
  }

  async askUndo() {
    try {
      const { undo } = await api.undoable(this.row.id);
      const close = () => {
        fill(this.note);
        /** @type {HTMLElement} */ (this.querySelector(".undo"))?.focus();
      };
      const back = make("button", { type: "button", onclick: close }, "Keep it");
      fill(this.note, make("div", { class: "told warn" }, make("p", { class: "title" }, "This would be taken back:"), make("ul", {}, ...undo.map((/** @type {any} */ one) => make("li", {}, one.text)))),
        make("div", { class: "answers" }, back,
          make("button", { type: "button", class: "yes", onclick: (/** @type {Event} */ e) => e.isTrusted && this.undo() }, "Take it back")));
      back.focus({ preventScroll: true });
    } catch (problem) {
      fill(this.note, whyNot(problem));
    }
  }

  async undo() {
    fill(this.note, "Taking it back…");
    try {
      const report = await api.undo(this.row.id);
      fill(this.note, results(report));
      announce(report.results.every((/** @type {any} */ one) => one.success) ? "Taken back." : "Not all was taken back.");
    } catch (problem) {
      fill(this.note, whyNot(problem));
    }
    await /** @type {History} */ (this.closest("sayso-history"))?.refresh().catch(() => {});
  }

  /** @param {string} key */
  pressed(key) {
    if (key === "escape" && this.note.childElementCount) fill(this.note);
    else if (key === "u" && this.row.undo) this.askUndo();
    else return false;
    return true;
  }
}

class History extends HTMLElement {
  /** @type {any[]} */ rows = [];
  /** @type {string|null} What to ask for the next page with. */ further = null;
  /** @type {number|undefined} */ timer;

  anew = () => this.refresh(true);
  words = make("input", { type: "search", placeholder: "Find: a file, a person, a word…", "aria-label": "Find", oninput: () => {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.anew, PAUSE);
  } });
  state = choice("All states", Object.fromEntries(STATES.map((one) => [one, one === "undone" ? "taken back" : one])), this.anew);
  entry = choice("From anywhere", places(), this.anew);
  by = choice("Answered anyhow", BY, this.anew);
  kind = choice("All kinds", Object.fromEntries(["file", "app", "tab", "mail", "calendar", "reminder", "note", "task", "habit", "clipboard", "template", "settings", "triggers", "servers", "grants", "undo"].map((one) => [one === "undo" ? one : `${one}.*`, one])), this.anew);
  day = make("input", { type: "date", onchange: this.anew });
  rewind = new Rewind(() => this.refresh());
  list = make("div", { class: "rows" });
  told = make("div", { class: "note", role: "status" });
  empty = make("p", { class: "empty", hidden: true });
  older = make("button", { type: "button", hidden: true, onclick: () => this.next() }, "Show older");
  dry = make("p", { class: "quiet dry", hidden: true });
  showsDry = false;

  connectedCallback() {
    fill(this, make("div", { class: "heading" }, make("h1", {}, "History"),
      make("div", { class: "tools" },
        make("button", { type: "button", class: "plain", onclick: () => this.rewind.open() }, "Rewind…"),
        make("button", { type: "button", class: "plain", onclick: () => this.verify() }, "Verify"),
        make("a", { class: "plain", href: "/api/export", download: true }, "Export"))),
    this.rewind.element,
    make("div", { class: "filters", role: "search" }, this.words, this.state, this.kind, this.entry, this.by, make("label", { class: "day-of" }, "On the day", this.day)),
    this.dry, this.told, this.empty, this.list, this.older);
  }

  /** @returns {Record<string, string>} */
  query() {
    const day = this.day.value && new Date(`${this.day.value}T00:00`);
    const next = day && new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
    const wanted = { words: this.words.value.trim(), state: this.state.value, operation: this.kind.value, entry: this.entry.value, by: this.by.value, since: day ? day.toISOString() : "", until: next ? next.toISOString() : "" };
    return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
  }

  /** Tell that actions of dry runs are left out, or that they are not. @param {number} hidden how many there are */
  tellDry(hidden) {
    this.dry.hidden = this.state.value !== "" || (!hidden && !this.showsDry);
    const shows = this.showsDry;
    const words = shows ? "Dry runs stand between what was done. " : `${hidden === 1 ? "1 action of a dry run is" : `${hidden.toLocaleString("en")} actions of dry runs are`} not shown. `;
    if (this.dry.firstChild?.textContent === words) return;
    fill(this.dry, words, make("button", { type: "button", class: "plain", onclick: () => {
      this.showsDry = !shows;
      this.anew();
    } }, shows ? "Hide them" : "Show them"));
  }

  /** Fetch what is listed this.anew; with `first`, the newest page only. */
  async refresh(first = false) {
    await this.gather([], null, first ? PAGE : Math.min(500, Math.max(PAGE, this.rows.length)));
  }

  async next() {
    await this.gather(this.rows, this.further, this.rows.length + PAGE);
  }

  /** Look back until there are enough rows; the server tells what it found in a moment, and from where to go on. */
  async gather(/** @type {any[]} */ known, /** @type {string|null} */ from, /** @type {number} */ enough) {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const query = this.query();
    let [rows, before] = [known, from];
    do {
      const answer = await api.rows({ ...query, ...(this.showsDry ? {} : { dry: "hide" }), limit: String(Math.min(500, enough - rows.length)), ...(before ? { before } : {}) });
      if (asked !== this.asked) return;
      this.tellDry(answer.dry_hidden);
      rows = [...rows, ...answer.rows];
      before = answer.before;
      const on = before !== null && rows.length < enough;
      fill(this.told, on && make("p", {}, "Looking further back: ", time(answer.looked_back_to), " "), on && make("button", { type: "button", class: "plain", onclick: () => this.stop() }, "Stop"));
      if (!on || rows.length > this.rows.length || known.length === 0) this.show(rows, before, on);
    } while (before !== null && rows.length < enough);
  }

  stop() {
    this.asked = (this.asked ?? 0) + 1;
    fill(this.told);
    this.older.hidden = this.further === null;
  }

  /** @param {any[]} rows @param {string|null} before @param {boolean} looking whether more is being looked for */
  show(rows, before, looking) {
    this.rows = rows;
    this.further = before;
    keep(this.list, rows, (row) => row.id, () => document.createElement("sayso-row"));
    this.older.hidden = before === null || looking;
    this.empty.hidden = rows.length > 0 || looking;
    fill(this.empty, Object.keys(this.query()).length ? "Nothing fits what you look for." : "Nothing was done yet. What is done, from wherever, is written down here, and can be taken back from here.");
  }

  async verify() {
    fill(this.told, "Reading all of the journal…");
    try {
      const { ok, rows, actions, problem } = await api.verify();
      const count = (/** @type {number} */ of, /** @type {string} */ what) => `${of.toLocaleString("en")} ${what}${of === 1 ? "" : "s"}`;
      this.told.classList.toggle("bad", !ok);
      fill(this.told, ok ? `✓ The journal is intact: ${count(rows, "audit row")}, ${count(actions, "action")}.` : `The journal is not intact: ${problem}.`);
      announce(this.told.textContent ?? "");
    } catch (problem) {
      fill(this.told, whyNot(problem));
    }
  }

  /** @param {string} when */
  rewindTo(when) {
    this.rewind.open(when);
  }

  /** @param {string} key */
  pressed(key) {
    return key === "escape" && this.rewind.close();
  }
}

customElements.define("sayso-row", Row);
customElements.define("sayso-history", History);
