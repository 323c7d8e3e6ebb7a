// What waits for the person: a card for each request, with its no and its yes.

import { Problem, api } from "./api.js";
import { Deliberate, restartAll } from "./deliberate.js";
import { announce, fill, lasting, listed, make, results, table, time } from "./parts.js";
import { offerUndo } from "./undobar.js";

class Card extends HTMLElement {
  /** Whether it was asked for anew because it had expired. */ asked = false;

  /** @param {any} card */
  show(card) {
    this.card = card;
    this.sure = false;
    this.busy = false;
    this.ended = false;
    const several = card.steps.length > 1;
    const start = make("span", { class: "edge" });
    const end = make("span", { class: "edge" });
    this.note = make("p", { class: "note", role: "status" });
    this.expiry = make("span", { class: "expiry" });
    this.reason = make("input", { type: "text", maxlength: 500, autocomplete: "off", "aria-label": "Reason for a no", placeholder: "Reason for a no (optional)" });
    this.no = make("button", { type: "button", class: "no", onclick: (/** @type {Event} */ e) => this.answer(e, "no") }, "No");
    this.yes = make("button", { type: "button", class: "yes", onclick: (/** @type {Event} */ e) => this.answer(e, "yes") });
    const heading = make("h2", { id: `title-${card.run}` }, card.title);
    fill(this,
      make("article", { "aria-labelledby": heading.id, class: card.level },
        start,
        make("header", {}, heading,
          make("p", { class: "quiet" }, `Asked from ${card.entry || "sayso"}, `, time(card.asked_at), this.expiry)),
        make("ol", { class: several ? "steps" : "steps only" }, ...card.steps.map((/** @type {any} */ one) => this.step(one, several))),
        this.note,
        make("div", { class: "answers" }, end, this.reason, this.no, this.yes)));
    this.label();
    this.tick();
    this.deliberate?.stop();
    this.deliberate = new Deliberate(start, end);
  }

  /** @param {any} step @param {boolean} several */
  step(step, several) {
    const box = several && make("input", { type: "checkbox", checked: true, value: step.id, onchange: () => this.label() });
    const lost = (step.undo ?? "").startsWith("cannot");
    return make("li", {},
      several && make("label", { class: "text" }, box, make("span", {}, step.text)),
      step.label && make("p", { class: "quiet" }, `The model calls it: ${step.label}`),
      step.why && make("p", { class: "quiet" }, `Asks because ${step.why}`),
      listed("Is lost", step.loses, "danger"),
      listed("Is sent", step.sends, "danger"),
      listed("Mind", step.warns, "warn"),
      step.preview && make("pre", { tabindex: 0, "aria-label": "Preview" }, step.preview),
      make("p", { class: lost ? "way lost" : "way" }, make("strong", {}, "Way back: "), step.undo ?? "unknown"),
      make("details", {}, make("summary", {}, "Details"),
        table({ operation: step.operation, ...step.arguments })));
  }

  boxes() {
    return /** @type {HTMLInputElement[]} */ ([...this.querySelectorAll("ol input")]);
  }

  label() {
    const chosen = this.boxes().filter((one) => one.checked).length;
    const all = this.boxes().length;
    const what = chosen === all ? "" : `, ${chosen} of ${all}`;
    fill(this.yes, this.sure ? `Yes, I am sure${what}` : `Yes${what}`);
    this.yes.setAttribute("aria-disabled", String(all > 0 && chosen === 0));
    this.yes.classList.toggle("sure", this.sure);
  }

  tick() {
    const left = this.card.expires_at ? Date.parse(this.card.expires_at) - Date.now() : NaN;
    fill(this.expiry, Number.isNaN(left) ? "" : left > 0 ? ` · expires in ${lasting(left)}` : " · has expired");
    this.expiry.title = this.card.expires_at ? new Date(this.card.expires_at).toLocaleString() : "";
  }

  /** @param {Event} event @param {"yes"|"no"} said */
  async answer(event, said) {
    if (this.busy || this.ended) return;
    const leaveOut = said === "yes" ? this.boxes().filter((one) => !one.checked).map((one) => one.value) : [];
    const refusal = this.deliberate.refusal(event)
      || (leaveOut.length && leaveOut.length === this.boxes().length ? "Nothing is ticked; say no instead." : "");
    if (refusal) return this.tell(refusal);
    const { run, digest, nonce } = this.card;
    this.busy = true;
    this.tell(said === "yes" ? "Doing it…" : "Declining…");
    try {
      this.end(said, await api.decide({
        run, digest, nonce, answer: said, leave_out: leaveOut, reason: said === "no" ? this.reason.value : "", sure: this.sure,
      }));
    } catch (problem) {
      await this.failed(problem);
    } finally {
      this.busy = false;
    }
  }

  /** @param {unknown} problem */
  async failed(problem) {
    if (!(problem instanceof Problem)) throw problem;
    this.busy = false;
    this.sure = problem.code === "page.twice";
    this.label();
    this.deliberate.restart();
    this.tell(problem.message, true);
    if (this.sure) this.no.focus({ preventScroll: true });
    await this.list().refresh();
    if (!this.isConnected || this.ended) this.list().say(problem.message);
  }

  list() {
    return /** @type {Waiting} */ (document.querySelector("sayso-waiting"));
  }

  /** @param {string} said @param {any} report */
  end(said, report) {
    this.ended = true;
    this.deliberate.stop();
    const close = make("button", { type: "button", onclick: () => { this.remove(); restartAll(); this.list().focusFirst(); } }, "Close");
    fill(this, make("article", { class: "ended" },
      make("h2", {}, this.card.title),
      make("p", {}, said === "yes" ? "You said yes." : "You said no; nothing of it was done."),
      results(report),
      make("div", { class: "answers" }, make("a", { href: "#history" }, "See it in the history"), close)));
    restartAll();
    announce(said === "yes" ? "Answered with yes." : "Answered with no.");
    offerUndo(report);
    close.focus({ preventScroll: true });
  }

  /** @param {string} text @param {boolean} [bad] */
  tell(text, bad = false) {
    this.note.classList.toggle("bad", bad);
    fill(this.note, text);
  }

  disconnectedCallback() {
    this.deliberate?.stop();
  }
}

class Waiting extends HTMLElement {
  connectedCallback() {
    this.number = 0;
    this.known = false;
    this.heading = make("h1", {}, "Waiting");
    this.told = make("p", { class: "note", role: "status" });
    this.empty = make("p", { class: "empty", hidden: true }, "Nothing waits for you. What asks for your yes appears here by itself.");
    this.cards = make("div", { class: "cards" });
    fill(this, this.heading, this.told, this.empty, this.cards);
    setInterval(() => this.tick(), 1000);
  }

  async refresh() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const { waiting } = await api.waiting();
    if (asked === this.asked) this.show(waiting);
  }

  /** Keep the elements of cards that are as they were, with what was typed in them. @param {any[]} waiting */
  show(waiting) {
    const old = new Map(this.all().map((one) => [one.card.run, one]));
    const before = this.all();
    const shown = waiting.map((card) => {
      const element = old.get(card.run);
      old.delete(card.run);
      if (element && !element.ended && element.card.digest === card.digest) {
        element.card = card;
        return element;
      }
      if (element?.busy) return element;
      const fresh = /** @type {Card} */ (document.createElement("sayso-card"));
      fresh.show(card);
      if (element) fresh.tell("This has changed since you saw it. Look at it again.", true);
      return fresh;
    });
    const rest = [...old.values()].filter((one) => one.ended || one.busy);
    const gone = [...old.values()].filter((one) => !rest.includes(one));
    if (gone.length) this.say(gone.length === 1 ? "A request was answered elsewhere, or has expired." : `${gone.length} requests were answered elsewhere, or have expired.`);
    this.place([...shown.filter((one) => !before.includes(one)), ...before.filter((one) => shown.includes(one) || rest.includes(one))]);
    this.empty.hidden = this.cards.children.length > 0;
    if (waiting.length > this.number || (!this.known && waiting.length)) announce(waiting.length === 1 ? "One request waits for you." : `${waiting.length} requests wait for you.`);
    this.number = waiting.length;
    this.known = true;
    this.dispatchEvent(new CustomEvent("counted", { detail: waiting.length }));
  }

  /** @param {Element[]} wanted */
  place(wanted) {
    const now = [...this.cards.children];
    if (now.length === wanted.length && now.every((one, place) => one === wanted[place])) return;
    const had = document.activeElement;
    for (const one of now) if (!wanted.includes(one)) one.remove();
    wanted.forEach((one, place) => {
      if (this.cards.children[place] !== one) this.cards.insertBefore(one, this.cards.children[place] ?? null);
    });
    restartAll();
    if (had instanceof HTMLElement && had.isConnected && had !== document.body) had.focus({ preventScroll: true });
    else this.focusFirst();
  }

  all() {
    return /** @type {Card[]} */ ([...this.cards.children]);
  }

  focusFirst() {
    if (this.hidden || (document.activeElement && document.activeElement !== document.body)) return;
    this.all().find((one) => !one.ended)?.no.focus({ preventScroll: true });
  }

  /** @param {string} text */
  say(text) {
    fill(this.told, text);
    announce(text);
  }

  tick() {
    const now = Date.now();
    for (const one of this.all()) {
      if (one.ended) continue;
      one.tick();
      const expires = one.card.expires_at ? Date.parse(one.card.expires_at) : Infinity;
      if (expires < now && !one.asked) {
        one.asked = true;
        this.refresh().catch(() => {});
      }
    }
  }

  /** Forget what was answered, when the view is left. */
  leave() {
    for (const one of this.all()) if (one.ended) one.remove();
    fill(this.told);
    this.empty.hidden = !this.known || this.cards.children.length > 0;
  }
}

customElements.define("sayso-card", Card);
customElements.define("sayso-waiting", Waiting);
