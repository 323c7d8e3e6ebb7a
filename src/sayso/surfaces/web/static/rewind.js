// Rewind to a moment: what would be taken back since then is shown first, and what of it cannot be.

import { Problem, api } from "./api.js";
import { Deliberate } from "./deliberate.js";
import { announce, fill, make, results, time } from "./parts.js";
import { store } from "./store.js";

/** @param {Date} at a moment as a field of the browser has it, to the second */
const local = (at) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

export class Rewind {
  /** @param {() => Promise<void>} done called when something was taken back */
  constructor(done) {
    this.done = done;
    this.at = make("input", { type: "datetime-local", step: 1, max: "9999-12-31T23:59:59", id: "rewind-at", onchange: () => this.look(this.at.value && new Date(this.at.value).toISOString()) });
    this.inside = make("div", { class: "inside" });
    this.element = make("section", { class: "rewind", hidden: true, "aria-labelledby": "rewind" });
    store.on("rewinding", (told) => this.busy && this.note && fill(this.note, `Taking it back… ${told.done.toLocaleString()} of ${told.of.toLocaleString()}`));
  }

  /** Open it, for this moment if one is given. @param {string} [when] */
  open(when) {
    this.element.hidden = false;
    const presets = [["10 minutes", 10], ["an hour", 60], ["a day", 24 * 60]];
    fill(this.inside);
    fill(this.element, make("article", {},
      make("h2", { id: "rewind" }, "Rewind to a moment"),
      make("p", { class: "quiet" }, "Everything that was done since then would be taken back, last first, as far as it can be. You see all of it first, as soon as you have chosen a moment."),
      make("div", { class: "moments" }, make("label", { for: "rewind-at" }, "As it was at"), this.at,
        ...presets.map(([name, minutes]) => make("button", { type: "button", onclick: () => this.go(new Date(Date.now() - Number(minutes) * 60_000)) }, `${name} ago`)),
        make("button", { type: "button", class: "plain", onclick: () => this.close() }, "Close")),
      this.inside));
    this.element.scrollIntoView({ block: "nearest" });
    if (when) {
      this.at.value = local(new Date(when));
      this.look(when);
    } else this.at.focus({ preventScroll: true });
  }

  /** @param {Date} at */
  go(at) {
    this.at.value = local(at);
    this.look(at.toISOString());
  }

  /** @param {string} to */
  async look(to) {
    if (!to) return;
    this.deliberate?.stop();
    fill(this.inside, "Looking what was done since…");
    try {
      this.show(await api.lookBack(to));
    } catch (problem) {
      this.fail(problem);
    }
  }

  /** @param {any} shown */
  show(shown) {
    const { undo, stays, more } = shown;
    const start = make("span", { class: "edge" });
    const end = make("span", { class: "edge" });
    const item = (/** @type {any} */ one, /** @type {string} */ why = "") => make("li", {}, one.text, make("span", { class: "quiet" }, " · ", time(one.time)), why && make("span", { class: "why" }, why));
    const count = undo.length === 1 ? "This 1 action would be taken back" : `These ${undo.length.toLocaleString()} actions would be taken back, in this order`;
    this.note = make("p", { class: "note", role: "status" });
    fill(this.inside, start,
      undo.length ? make("div", {}, make("h3", {}, more ? `${count}; there is more, which stays for now` : count), make("ol", { class: "list" }, ...undo.map((/** @type {any} */ one) => item(one))))
        : make("p", {}, "Nothing that was done since then can be taken back."),
      this.stays = stays.length > 0 && make("div", { class: "told danger" }, make("p", { class: "title" }, "This stays"), make("ul", {}, ...stays.map((/** @type {any} */ one) => item(one, one.why)))),
      this.note,
      make("div", { class: "answers" }, end,
        make("button", { type: "button", onclick: () => this.close() }, "Keep all"),
        undo.length > 0 && make("button", { type: "button", class: "yes", onclick: (/** @type {Event} */ event) => this.rewind(event, shown) }, `Take back ${undo.length.toLocaleString()}`)));
    this.deliberate = new Deliberate(start, end);
    announce(`${count}. ${stays.length} stay.`);
  }

  /** @param {Event} event @param {any} shown */
  async rewind(event, shown) {
    const refusal = this.deliberate?.refusal(event);
    if (refusal || this.busy) return this.note && fill(this.note, refusal ?? "");
    this.busy = true;
    if (this.note) fill(this.note, "Taking it back…");
    try {
      const report = await api.rewind(shown.to, shown.digest);
      this.deliberate?.stop();
      const all = report.done === report.of;
      const many = report.of > report.results.length && `${report.done.toLocaleString()} of ${report.of.toLocaleString()} were taken back.${all ? "" : " These were not:"}`;
      const said = !all ? "Not all of it was taken back." : this.stays ? "What can be taken back was taken back." : "All of it was taken back.";
      fill(this.inside, make("h3", {}, said), many && make("p", {}, many), (report.results.length > 0 || !many) && results(report), this.stays);
      this.element.scrollIntoView({ block: "nearest" });
      announce(said);
    } catch (problem) {
      if (problem instanceof Problem && problem.code === "page.changed") await this.look(shown.to);
      this.fail(problem);
    } finally {
      this.busy = false;
    }
    await this.done().catch(() => {});
  }

  /** @param {unknown} problem */
  fail(problem) {
    if (!(problem instanceof Problem)) throw problem;
    const place = problem.code === "page.changed" ? this.note : this.inside;
    if (place) fill(place, problem.message);
  }

  close() {
    if (this.element.hidden) return false;
    this.deliberate?.stop();
    this.element.hidden = true;
    fill(this.element);
    return true;
  }
}
