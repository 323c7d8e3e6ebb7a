// The card of what waits: each action in sayso's words, with Cancel, Edit and Execute. It stands in Waiting and in the chat.
// It tells what became of it by two events: “answered” when it is over, and “stale” when something else waits by now.

import { Problem, api } from "./api.js";
import { Deliberate, restartAll } from "./deliberate.js";
import { Fields } from "./form.js";
import { allOf, announce, askedFrom, fill, lasting, listed, make, results, time } from "./parts.js";
import { asking, stepBody, wayBack } from "./steps.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

const SOON = 60_000;

/** @param {number[]} indices */
function numbers(indices) {
  const at = indices.map((one) => one + 1);
  return at.length === 1 ? String(at[0]) : at.length === 2 ? `${at[0]}, ${at[1]}` : `${at[0]}–${at.at(-1)}`;
}

/** @param {string} kind @param {string} text @param {(event: Event) => void} onclick */
const button = (kind, text, onclick) => make("button", { type: "button", class: kind, onclick }, text);

export class Card extends HTMLElement {
  /** @type {any} */ card = null;
  sure = false;
  busy = false;
  ended = false;
  soon = false;
  expired = false;
  several = false;
  /** @type {Map<string, Fields>|null} */ forms = null;
  /** @type {string[]} */ permits = [];
  /** @type {(() => void)|undefined} */ off;
  first = make("span", { class: "edge" });
  last = make("span", { class: "edge" });
  deliberate = new Deliberate(this.first, this.last);
  note = make("p", { class: "note", role: "status" });
  brake = make("p", { class: "quiet", hidden: true });
  expiry = make("span", { class: "expiry" });
  extra = make("div", { class: "extra", hidden: true });
  reason = make("input", { type: "text", maxlength: 500, autocomplete: "off", "aria-label": "Reason for a no", placeholder: "Reason for a no (optional)" });
  no = button("no", "Cancel", (event) => this.answer(event, "no"));
  yes = button("yes", "", (event) => this.answer(event, "yes"));
  edits = button("edits", "Edit…", () => this.edit());
  always = button("always plain", "Always allow…", () => this.allow());

  /** @param {any} card */
  show(card) {
    this.card = card;
    this.several = card.steps.length > 1;
    const heading = make("h2", { id: `title-${card.run}` }, this.several ? `🤖 Suggested Actions (${card.steps.length})` : card.title);
    fill(this,
      make("article", { "aria-labelledby": heading.id, class: card.level },
        this.first,
        make("header", {}, heading,
          make("p", { class: "quiet" }, card.edited ? "As you edited it; nothing is approved by editing. " : "", `Asked from ${askedFrom(card.entry) || "sayso"}, `, time(card.asked_at), this.expiry)),
        make("ol", { class: this.several ? "steps" : "steps only" }, ...this.entries()),
        this.several && this.foot(),
        this.extra, this.note, this.brake,
        make("div", { class: "answers" }, this.last, this.reason, this.no, this.edits, card.always && this.always, this.yes)));
    this.label();
    this.tick();
  }

  /** Return the steps as they are listed; actions that are alike are one step. */
  entries() {
    const groups = new Map(this.card.groups.map((/** @type {any} */ one) => [one.indices[0], one]));
    const inside = new Set(this.card.groups.flatMap((/** @type {any} */ one) => one.indices.slice(1)));
    return this.card.steps.filter((/** @type {any} */ one) => !inside.has(one.index))
      .map((/** @type {any} */ one) => (groups.has(one.index) ? this.group(groups.get(one.index)) : this.step(one)));
  }

  /** @param {any} step */
  step(step) {
    if (!this.several) return make("li", { "data-n": "" }, stepBody(step));
    return make("li", { "data-n": step.index + 1, "data-item": true, tabindex: -1, "data-steps": step.id },
      make("label", { class: "text" }, this.box(step), make("span", {}, step.text)), make("p", { class: "lacks", hidden: true }),
      stepBody(step, { why: false, back: false }));
  }

  /** @param {any} group */
  group(group) {
    const steps = this.card.steps.filter((/** @type {any} */ one) => group.indices.includes(one.index));
    const all = make("input", { type: "checkbox", checked: true, class: "all", onchange: () => {
      for (const one of this.boxes().filter((box) => steps.some((/** @type {any} */ step) => step.id === box.value))) one.checked = all.checked;
      this.label();
    } });
    return make("li", { "data-n": numbers(group.indices), "data-item": true, tabindex: -1, "data-steps": steps.map((/** @type {any} */ one) => one.id).join(" ") },
      make("label", { class: "text" }, all, make("span", {}, group.text)),
      make("ul", { class: "members" }, ...steps.map((/** @type {any} */ step, /** @type {number} */ at) =>
        make("li", {}, make("label", { class: "text" }, this.box(step), make("span", {}, group.members[at])), make("p", { class: "lacks", hidden: true })))),
      make("details", {}, make("summary", {}, "Each of them"), ...steps.map((/** @type {any} */ step) =>
        make("div", { class: "each" }, make("p", { class: "text" }, step.text), stepBody(step, { why: false, back: false })))));
  }

  /** @param {any} step */
  box(step) {
    return make("input", { type: "checkbox", checked: true, value: step.id, class: "one", onchange: () => this.label() });
  }

  /** What is true of several steps is said once, below them. */
  foot() {
    const { steps, fails } = this.card;
    const back = steps.filter((/** @type {any} */ one) => !one.lost);
    return make("div", { class: "foot" },
      ...asking(steps, steps.map((/** @type {any} */ one) => one.index + 1)),
      back.length === steps.length && new Set(steps.map((/** @type {any} */ one) => one.undo)).size === 1 ? wayBack(back[0])
        : make("div", {}, ...back.map((/** @type {any} */ one) => make("p", { class: "quiet" }, `${one.index + 1}: ${one.undo}`))),
      fails && make("p", { class: "quiet" }, `${fails.charAt(0).toUpperCase()}${fails.slice(1)}.`));
  }

  boxes() {
    return /** @type {HTMLInputElement[]} */ ([...this.querySelectorAll("ol input.one")]);
  }

  /** Return the ids of the steps that a yes would do, and, by the index of each that lacks another one, the one it lacks. */
  going() {
    const out = new Set(this.boxes().filter((one) => !one.checked).map((one) => one.value));
    const lacking = new Map();
    const gone = new Set(this.card.steps.filter((/** @type {any} */ one) => out.has(one.id)).map((/** @type {any} */ one) => one.index));
    for (const one of this.card.steps) {
      const missing = one.needs.find((/** @type {number} */ index) => gone.has(index) || lacking.has(index));
      if (missing !== undefined && !gone.has(one.index)) lacking.set(one.index, missing);
    }
    return { out: [...out], lacking, ids: this.card.steps.filter((/** @type {any} */ one) => !out.has(one.id) && !lacking.has(one.index)).map((/** @type {any} */ one) => one.id) };
  }

  label() {
    const { lacking, ids } = this.going();
    const all = this.card.steps.length;
    for (const one of this.querySelectorAll("ol li")) {
      const boxes = /** @type {HTMLInputElement[]} */ ([...one.querySelectorAll(":scope > label input.one, :scope > .members input.one")]);
      const steps = this.card.steps.filter((/** @type {any} */ step) => boxes.some((box) => box.value === step.id));
      const lacks = steps.length === 1 ? lacking.get(steps[0].index) : undefined;
      one.classList.toggle("out", steps.length > 0 && !steps.some((/** @type {any} */ step) => ids.includes(step.id)));
      const told = /** @type {HTMLElement|null} */ (one.querySelector(":scope > .lacks"));
      if (told) told.hidden = lacks === undefined;
      if (told && lacks !== undefined) fill(told, `Left out: it needs ${lacks + 1}.`);
      const whole = /** @type {HTMLInputElement|null} */ (one.querySelector(":scope > label input.all"));
      if (!whole) continue;
      whole.checked = boxes.every((box) => box.checked);
      whole.indeterminate = !whole.checked && boxes.some((box) => box.checked);
    }
    const what = ids.length === all ? (all > 1 ? ` ${allOf(all)}` : "") : ` ${ids.length} of ${all}`;
    fill(this.yes, this.forms ? "Check the edit" : this.sure ? `Yes, I am sure${ids.length === all ? "" : `, ${ids.length} of ${all}`}` : `Execute${what}${this.permits.length ? " and allow" : ""}`);
    this.yes.setAttribute("aria-disabled", String(ids.length === 0 || store.brake !== ""));
    this.brake.hidden = store.brake === "";
    fill(this.brake, store.brake && `${store.brake} This goes on waiting; only a no counts now.`);
    this.yes.classList.toggle("sure", this.sure && !this.forms);
  }

  tick() {
    const left = this.card.expires_at ? Date.parse(this.card.expires_at) - Date.now() : NaN;
    fill(this.expiry, Number.isNaN(left) ? "" : left > 0 ? ` · expires in ${lasting(left)}` : " · has expired");
    this.expiry.title = this.card.expires_at ? new Date(this.card.expires_at).toLocaleString() : "";
    this.expiry.classList.toggle("soon", left < SOON);
    if (left > 0 && left < SOON && !this.soon) {
      this.soon = true;
      announce(`“${this.card.title}” expires in less than a minute. Without an answer nothing of it is done.`);
    }
  }

  /** @param {Event} event @param {"yes"|"no"} said */
  async answer(event, said) {
    if (this.busy || this.ended) return;
    if (said === "no" && this.forms) return this.close();
    const { out, ids } = this.going();
    const refusal = this.deliberate.refusal(event) || (said === "yes" && (store.brake || (!ids.length && "Nothing is ticked; cancel it instead."))) || "";
    if (refusal) {
      if (event.isTrusted && !this.deliberate.seenStart) {
        this.scrollIntoView({ block: "start" });
        restartAll();  // another card may be under the pointer now
      }
      return this.tell(refusal, true);
    }
    if (this.forms) return this.sendEdit(out);
    const { run, digest, nonce } = this.card;
    await this.doing(said === "yes" ? "Doing it…" : "Cancelling…", async () => this.end(said, await api.decide({
      run, digest, nonce, answer: said, leave_out: said === "yes" ? out : [], reason: said === "no" ? this.reason.value : "", sure: this.sure, permits: said === "yes" ? this.permits : [],
    })));
  }

  /** @param {string} text @param {() => Promise<void>} act */
  async doing(text, act) {
    this.busy = true;
    this.tell(text);
    try {
      await act();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.busy = false;
      this.sure = problem.code === "page.twice";
      this.label();
      this.deliberate.restart();
      this.tell(problem.message, true);
      if (this.sure) this.no.focus({ preventScroll: true });
      if (problem.status === 409 || problem.status === 0) this.dispatchEvent(new CustomEvent("stale", { bubbles: true, detail: problem.message }));
    } finally {
      this.busy = false;
    }
  }

  /** Show the arguments of all steps as forms; what comes of them is checked and asked about as new. */
  async edit() {
    if (this.busy || this.ended) return;
    if (this.forms) return this.close();
    await this.doing("", async () => {
      const { forms } = await api.forms(this.card.run);
      const steps = new Map(this.card.steps.map((/** @type {any} */ one) => [one.id, one]));
      this.forms = new Map(forms.map((/** @type {any} */ one) => [one.id, new Fields(one.schema, one.arguments)]));
      this.open(make("p", { class: "quiet" }, "What you change here is checked and shown to you again; nothing is approved by editing."), ...[...this.forms].map(([id, one]) => make("fieldset", { class: "form" }, make("legend", {}, steps.get(id)?.text ?? ""), ...one.elements)));
      for (const one of this.extra.querySelectorAll("input")) one.addEventListener("keydown", (event) => this.enter(event));
      /** @type {HTMLElement|null} */ (this.extra.querySelector("input, select, textarea"))?.focus();
    });
  }

  /** Enter in a field checks the edit, which approves nothing. @param {KeyboardEvent} event */
  enter(event) {
    if (event.key !== "Enter" || event.isComposing || event.repeat || this.busy || store.brake) return;
    event.preventDefault();
    this.sendEdit(this.going().out);
  }

  /** @param {string[]} out */
  async sendEdit(out) {
    const edits = Object.fromEntries([...(this.forms ?? new Map())].filter(([id]) => !out.includes(id)).map(([id, form]) => [id, form.values()]));
    const { run, digest, nonce } = this.card;
    await this.doing("Checking…", async () => {
      const report = await api.edit({ run, digest, nonce, edits, leave_out: out });
      const [made] = report.edits;
      if (made?.results.some((/** @type {any} */ one) => one.state === "waiting")) {
        this.ended = true;
        this.dispatchEvent(new CustomEvent("answered", { bubbles: true, detail: { said: "edit", run: made.run } }));
        store.refresh();
      } else this.end("edit", made ?? report);
    });
  }

  /** Show which standing permissions could come with the yes, and what each would have allowed so far. */
  async allow() {
    if (this.busy || this.ended) return;
    if (this.permits.length || !this.extra.hidden) return this.close();
    await this.doing("", async () => {
      const { offers, why } = await api.always(this.going().ids);
      this.open(...(offers.length ? offers.map((/** @type {any} */ one) => this.offer(one)) : [make("p", {}, `${why ?? "There is nothing that could be allowed from now on"}.`)]));
      /** @type {HTMLElement|null} */ (this.extra.querySelector("input"))?.focus({ preventScroll: true });
    });
  }

  /** @param {any} offer */
  offer(offer) {
    const box = make("input", { type: "checkbox", onchange: () => {
      this.permits = this.permits.filter((one) => one !== offer.digest).concat(box.checked ? [offer.digest] : []);
      this.label();
    } });
    const named = [...offer.fixed.map((/** @type {any} */ one) => [one.name, `only ${one.value}`]), ...offer.varies.map((/** @type {any} */ one) => [one.name, one.words])];
    const { allowed, asked } = offer;
    const against = allowed.filter((/** @type {any} */ one) => one.you_said_no);
    const count = allowed.length + asked.length;
    return make("div", { class: "offer" },
      make("label", { class: "text" }, box, make("strong", {}, `From now on, ${offer.operation} without a question if all of this fits`)),
      make("dl", {}, ...named.flatMap(([name, words]) => [make("dt", {}, name), make("dd", {}, words)]),
        ...offer.reach.flatMap((/** @type {string} */ words, /** @type {number} */ at) => [make("dt", {}, at ? "" : "as now"), make("dd", {}, words)]),
        make("dt", {}, "until"), make("dd", {}, time(offer.expires), offer.most_uses ? `, ${offer.most_uses === 1 ? "once" : `${offer.most_uses} times`} at most` : "")),
      listed("Look closely", offer.looks, "danger"),
      listed("You said no to these, and they would have been allowed", against.map((/** @type {any} */ one) => one.text), "danger"),
      make("p", { class: "quiet" }, count ? `Of ${count} alike that were asked about so far, ${allowed.length} would have been allowed without a question, and ${asked.length} would still be asked about.` : "No past action like this was asked about."),
      allowed.length > 0 && make("details", {}, make("summary", {}, "Which would have been allowed"), make("ul", {}, ...allowed.map((/** @type {any} */ one) => make("li", {}, `${one.text} (${one.state})`)))));
  }

  /** @param {...Node} inside */
  open(...inside) {
    this.extra.hidden = false;
    fill(this.extra, ...inside);
    this.tell("");
    this.afterChange();
  }

  /** Close what was opened below the steps. */
  close() {
    this.forms = null;
    this.permits = [];
    this.extra.hidden = true;
    fill(this.extra);
    this.tell("");
    this.afterChange();
    this.no.focus({ preventScroll: true });
  }

  /** The card has another height and another yes; it has to be seen to its end again. */
  afterChange() {
    this.deliberate.seenEnd = false;
    this.deliberate.watch();
    this.deliberate.restart();
    fill(this.no, this.forms ? "Back" : "Cancel");
    this.edits.hidden = this.always.hidden = this.forms !== null;
    this.reason.hidden = !this.extra.hidden;
    this.label();
    restartAll();
  }

  /** @param {string} said @param {any} report */
  end(said, report) {
    this.ended = true;
    this.deliberate.stop();
    const told = { yes: "You said yes.", no: "You said no; nothing of it was done.", edit: "Edited. What came of it is not done:" }[said] ?? "";
    const close = make("button", { type: "button", onclick: () => { this.remove(); restartAll(); this.dispatchEvent(new CustomEvent("closed")); } }, "Close");
    fill(this, make("article", { class: "ended" },
      make("h2", {}, this.card.title),
      make("p", {}, told),
      results(report),
      listed("Also", report.warnings, "warn"),
      make("div", { class: "answers" }, make("a", { href: "#history" }, "See it in the history"), close)));
    restartAll();
    announce(told);
    offerUndo(report);
    close.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("answered", { bubbles: true, detail: { said, report } }));
  }

  /** What a single key does here. @param {string} key @param {KeyboardEvent} event */
  pressed(key, event) {
    if (this.ended || !this.card) return false;
    const step = /** @type {HTMLElement|null} */ (document.activeElement?.closest("[data-steps]"));
    const box = /** @type {HTMLInputElement|null} */ (document.activeElement?.closest("li")?.querySelector("input[type=checkbox]") ?? step?.querySelector("input[type=checkbox]"));
    const does = {
      a: () => this.answer(event, "yes"), r: () => this.answer(event, "no"), e: () => this.edit(),
      x: () => box?.click(), escape: () => this.close(),
    }[key];
    if (!does || (key === "escape" && this.extra.hidden) || (key === "x" && !box)) return false;
    does();
    return true;
  }

  /** @param {string} text @param {boolean} [bad] */
  tell(text, bad = false) {
    this.note.classList.toggle("bad", bad);
    fill(this.note, text);
  }

  connectedCallback() {
    this.off ??= store.on("state", () => this.label());
  }

  disconnectedCallback() {
    this.off?.();
    this.off = undefined;
    this.deliberate.stop();
  }
}

customElements.define("sayso-card", Card);
