// What was done, newest first: searched, and taken back.

import { Problem, api } from "./api.js";
import { announce, fill, listed, make, outcome, results, table, time } from "./parts.js";

const STATES = ["waiting", "running", "done", "unchanged", "failed", "refused", "declined", "expired", "invalid", "skipped", "unknown", "planned", "undone"];
const PAGE = "50";

class Row extends HTMLElement {
  /** @type {HTMLElement} */ note;
  /** @type {HTMLElement} */ inside;
  /** @type {HTMLDetailsElement} */ more;

  /** @param {any} row */
  show(row) {
    this.row = row;
    this.note ??= make("div", { class: "note", role: "status" });
    this.inside ??= make("div", { class: "inside" });
    this.more ??= make("details", { ontoggle: () => this.open() }, make("summary", {}, "Details"), this.inside);
    const undo = row.undo && make("button", { type: "button", class: "undo", onclick: () => this.askUndo() }, "Undo…");
    fill(this, make("article", {},
      make("div", { class: "line" },
        make("span", { class: `state ${row.state}` }, row.state),
        make("div", { class: "what" },
          make("p", { class: "text" }, summary(row)),
          make("p", { class: "quiet" }, time(row.time), ` · ${row.operation ?? "no operation"}`, row.approved_by ? ` · yes by ${row.approved_by}` : ""),
          !row.success && row.error && row.state !== "waiting" && make("p", { class: "quiet" }, row.error)),
        undo),
      this.note, this.more));
  }

  async open() {
    if (!this.more.open) return;
    try {
      const { card } = await api.row(this.row.id);
      fill(this.inside,
        make("p", {}, outcome(this.row)),
        listed("Lost", card.loses, "danger"), listed("Sent", card.sends, "danger"), listed("Mind", card.warns, "warn"),
        card.preview && make("pre", { tabindex: 0, "aria-label": "Preview" }, card.preview),
        make("p", { class: "way" }, make("strong", {}, "Way back: "), this.row.undo ? "can be taken back now" : "there is none now"),
        table({ id: this.row.id, run: this.row.run, asked_from: this.row.entry, ...card.arguments }));
    } catch (problem) {
      fill(this.inside, wrong(problem));
    }
  }

  async askUndo() {
    try {
      const { undo } = await api.undoable(this.row.id);
      if (!undo.length) return fill(this.note, "There is nothing to take back any more.");
      const keep = make("button", { type: "button", onclick: () => { fill(this.note); /** @type {HTMLElement} */ (this.querySelector(".undo"))?.focus(); } }, "Keep it");
      fill(this.note, listed("This is taken back:", undo.map((/** @type {any} */ one) => one.text), "warn"),
        make("div", { class: "answers" }, keep,
          make("button", { type: "button", class: "yes", onclick: (/** @type {Event} */ e) => e.isTrusted && this.undo() }, "Take it back")));
      keep.focus({ preventScroll: true });
    } catch (problem) {
      fill(this.note, wrong(problem));
    }
  }

  async undo() {
    fill(this.note, "Taking it back…");
    try {
      const report = await api.undo(this.row.id);
      fill(this.note, results(report));
      announce(report.results.every((/** @type {any} */ one) => one.success) ? "Taken back." : "Not all was taken back.");
    } catch (problem) {
      fill(this.note, wrong(problem));
    }
    await /** @type {History} */ (document.querySelector("sayso-history")).refresh().catch(() => {});
  }
}

class History extends HTMLElement {
  /** @type {any[]} */ rows = [];
  /** @type {string|null} What to ask for the next page with. */ further = null;

  connectedCallback() {
    this.wanted = make("input", { type: "search", placeholder: "Find in what is listed", "aria-label": "Find in what is listed", oninput: () => this.filter() });
    this.state = make("select", { "aria-label": "State", onchange: () => this.refresh(true) },
      make("option", { value: "" }, "All states"), ...STATES.map((one) => make("option", { value: one }, one)));
    this.list = make("div", { class: "rows" });
    this.empty = make("p", { class: "empty", hidden: true });
    this.older = make("button", { type: "button", hidden: true, onclick: () => this.next() }, "Show older");
    fill(this, make("h1", {}, "History"), make("div", { class: "filters", role: "search" }, this.wanted, this.state), this.empty, this.list, this.older);
  }

  /** @param {string} limit @returns {Record<string, string>} */
  query(limit) {
    return this.state.value ? { limit, state: this.state.value } : { limit };
  }

  /** Fetch what is listed anew; with `first`, the newest page only. */
  async refresh(first = false) {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const limit = String(first ? Number(PAGE) : Math.min(500, Math.max(Number(PAGE), this.rows.length)));
    const { rows, before } = await api.rows(this.query(limit));
    if (asked === this.asked) this.show(rows, before);
  }

  async next() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const { rows, before } = await api.rows({ ...this.query(PAGE), before: this.further });
    if (asked === this.asked) this.show([...this.rows, ...rows], before);
  }

  /** @param {any[]} rows @param {string|null} before */
  show(rows, before) {
    const old = new Map(this.shown().map((one) => [one.row.id, one]));
    this.rows = rows;
    this.further = before;
    const wanted = rows.map((row) => {
      const element = old.get(row.id) ?? /** @type {Row} */ (document.createElement("sayso-row"));
      if (!element.row || JSON.stringify(element.row) !== JSON.stringify(row)) element.show(row);
      return element;
    });
    for (const one of this.shown()) if (!wanted.includes(one)) one.remove();
    wanted.forEach((one, place) => {
      if (this.list.children[place] !== one) this.list.insertBefore(one, this.list.children[place] ?? null);
    });
    this.older.hidden = before === null;
    this.filter();
  }

  shown() {
    return /** @type {Row[]} */ ([...this.list.children]);
  }

  filter() {
    const words = this.wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of this.shown()) {
      const { row } = one;
      const text = [summary(row), row.operation, row.said, row.entry, row.error, row.message, row.id, row.run, JSON.stringify(row.arguments)].join(" ").toLowerCase();
      one.hidden = !words.every((word) => text.includes(word));
      shown += Number(!one.hidden);
    }
    this.empty.hidden = shown > 0;
    fill(this.empty, words.length && this.further ? "None of what is listed has these words; older ones may." : words.length ? "None has these words." : this.state.value ? "None is in this state." : "Nothing was done yet.");
  }
}

/** @param {any} row */
function summary(row) {
  return row.plan?.summary || row.said || row.label || row.operation || row.id;
}

/** @param {unknown} problem */
function wrong(problem) {
  if (problem instanceof Problem) return problem.message;
  throw problem;
}

customElements.define("sayso-row", Row);
customElements.define("sayso-history", History);
