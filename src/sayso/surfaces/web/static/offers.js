// What a reply offers: actions that wait for a yes, each with a button and with sayso's own words for it, and the
// person's own actions. A button that was pressed goes; the others stay.

import { Problem, api } from "./api.js";
import { Deliberate, restartAll } from "./deliberate.js";
import { announce, fill, make } from "./parts.js";
import { stepBody, wayBack } from "./steps.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

const STYLES = ["primary", "secondary", "danger"];

/**
 * A button of one of the three styles; a dangerous one says so also to those who see no colour.
 * @param {string} label @param {string|undefined} style @param {Record<string, any>} properties
 */
export function styled(label, style, properties) {
  const known = style && STYLES.includes(style) ? style : "primary";
  return make("button", { type: "button", class: known, ...properties }, label, known === "danger" && make("span", { class: "unseen" }, " (danger)"));
}

class Offers extends HTMLElement {
  /** What runs, by the id of the action; its buttons show "..." until it has ended. */
  running = new Set();
  /** What has to be confirmed once more. */
  sure = new Set();
  /** @type {any[]} */ buttons = [];
  /** @type {any[]} */ actions = [];
  note = make("p", { class: "note", role: "status" });
  session = "";
  drawn = "";

  /** @param {string} session @param {any[]} buttons @param {any[]} actions */
  show(session, buttons, actions) {
    this.session = session;
    this.buttons = buttons;
    this.actions = actions.filter((one) => ["pending", "running", "waiting"].includes(one.state));
    this.draw();
  }

  draw() {
    const drawn = JSON.stringify([this.buttons.map((one) => [one.id, one.digest]), this.actions, [...this.running], [...this.sure]]);
    if (drawn === this.drawn) return;
    const changed = this.drawn !== "" && this.shown !== JSON.stringify(this.buttons.map((one) => [one.id, one.digest]));
    this.drawn = drawn;
    this.shown = JSON.stringify(this.buttons.map((one) => [one.id, one.digest]));
    this.hidden = !this.buttons.length && !this.actions.length;
    const had = this.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.id : undefined;
    this.deliberate?.stop();
    this.deliberate = undefined;
    if (this.hidden) {
      fill(this);
      if (had) this.closest("sayso-chat")?.querySelector("textarea")?.focus({ preventScroll: true });
      return;
    }
    const start = make("span", { class: "edge" });
    const end = make("span", { class: "edge" });
    const several = this.buttons.length + this.actions.length > 1;
    fill(this, make("article", { "data-item": "", tabindex: -1, "aria-label": several ? "What you can say yes to" : "Say yes?" },
      start,
      make("ol", { class: several ? "steps" : "steps only" },
        ...this.buttons.map((one, place) => make("li", { "data-n": several ? place + 1 : "" }, make("p", { class: "text" }, one.text), stepBody(one.card, { alone: !several }))),
        ...this.actions.map((one, place) => make("li", { "data-n": several ? this.buttons.length + place + 1 : "" }, make("p", { class: "text" }, one.text), one.name && make("p", { class: "quiet" }, `Your own action “${one.name}”`)))),
      several && this.foot(),
      this.note,
      make("div", { class: "offers" }, end,
        ...this.buttons.map((one, place) => this.button(one, several ? place + 1 : 0)),
        ...this.actions.map((one, place) => this.action(one, several ? this.buttons.length + place + 1 : 0)),
        this.buttons.length > 1 && this.all(),
        this.buttons.length > 0 && make("button", { type: "button", class: "plain no", "data-id": "no", disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.decide(event, this.buttons, "no") },
          this.buttons.length > 1 ? "No to all" : "No"))));
    if (this.buttons.length) this.deliberate = new Deliberate(start, end);
    if (changed) restartAll();
    if (had) (/** @type {HTMLElement|null} */ (this.querySelector(`[data-id="${CSS.escape(had)}"]:not(:disabled)`)) ?? this.querySelector("article"))?.focus({ preventScroll: true });
  }

  /** What is true of all of them is said once. */
  foot() {
    const back = this.buttons.map((one) => one.card).filter((one) => !one.lost);
    const whys = new Set(this.buttons.filter((one) => one.card.asks).map((one) => one.card.why));
    return make("div", { class: "foot" }, ...[...whys].map((why) => make("p", { class: "quiet" }, `sayso asks because ${why}.`)),
      back.length > 0 && wayBack(back[0]));
  }

  /** @param {any} one @param {number} number */
  button(one, number) {
    const runs = this.running.has(one.id);
    const label = this.sure.has(one.id) ? "Yes, I am sure" : one.label || "Do it";
    return styled(runs ? "..." : number ? `${number}. ${label}` : label, one.style,
      { "data-id": one.id, title: one.text, disabled: runs, onclick: (/** @type {Event} */ event) => this.decide(event, [one], "yes") });
  }

  all() {
    const style = this.buttons.some((one) => one.style === "danger") ? "danger" : "primary";
    const sure = this.buttons.some((one) => this.sure.has(one.id));
    return styled(sure ? "Yes to all, I am sure" : `Apply all ${this.buttons.length}`, style,
      { "data-id": "all", class: `${style} all`, disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.decide(event, this.buttons, "yes") });
  }

  /** @param {any} one @param {number} number */
  action(one, number) {
    const { instanceId: id, label, description, style, sessionId } = one.instance;
    const runs = this.running.has(id) || one.state !== "pending";
    return styled(runs ? "..." : number ? `${number}. ${label}` : label, style, {
      "data-id": id, title: description, disabled: runs,
      onclick: (/** @type {Event} */ event) => {
        if (!event.isTrusted || this.running.has(id)) return;
        if (!store.send({ type: "execute_action", instanceId: id, sessionId })) return this.tell("Not connected; nothing was sent. Try again in a moment.");
        this.running.add(id);
        this.draw();
      },
    });
  }

  /** Called when one of the person's own actions has ended, or could not begin. @param {string} id @param {string} [why] */
  ended(id, why) {
    if (!this.running.delete(id)) return;
    if (why) this.tell(why);
    this.draw();
  }

  /** @param {Event} event @param {any[]} taken @param {"yes"|"no"} said */
  async decide(event, taken, said) {
    if (taken.some((one) => this.running.has(one.id))) return;
    const refusal = this.deliberate?.refusal(event);
    if (refusal) return this.tell(refusal);
    for (const one of taken) this.running.add(one.id);
    this.tell("");
    this.draw();
    try {
      const report = await api.talk(this.session, "offers", {
        take: taken.map(({ id, digest, nonce }) => ({ id, digest, nonce })), answer: said, sure: taken.every((one) => this.sure.has(one.id)),
      });
      if (said === "yes") offerUndo(report);
      announce(said === "no" ? "You said no; nothing of it was done." : "Done.");
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === "page.twice") for (const one of taken) this.sure.add(one.id);
      this.tell(problem.message);
    }
    await store.refresh();
    for (const one of taken) this.running.delete(one.id);
    this.draw();
  }

  /** @param {string} key @param {KeyboardEvent} event */
  pressed(key, event) {
    if (!["a", "r"].includes(key) || !this.buttons.length) return false;
    const at = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.id;
    const one = this.buttons.filter((button) => button.id === at);
    this.decide(event, one.length ? one : this.buttons, key === "a" ? "yes" : "no");
    return true;
  }

  /** @param {string} text */
  tell(text) {
    fill(this.note, text);
  }

  disconnectedCallback() {
    this.deliberate?.stop();
  }
}

customElements.define("sayso-offers", Offers);
