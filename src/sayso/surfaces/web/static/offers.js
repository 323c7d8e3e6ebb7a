// What a reply offers: actions that wait for a yes, each with a button, and the person's own actions. A button says what a
// click does, in sayso's words, made from the plan, and below them what the model calls it, quoted. The model's colour and
// tooltip count only where the plan has no danger. A button that was pressed goes; the others stay.

import { Problem, api, sentence } from "./api.js";
import { Deliberate, restartAll } from "./deliberate.js";
import { announce, cut, fill, make, quote, quoted, visible } from "./parts.js";
import { stepBody, wayBack } from "./steps.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

const STYLES = ["primary", "secondary", "danger"];
const LONGEST = 80;  // letters of sayso's sentence on a button; all of them stand above it
const LONGEST_LABEL = 200;  // letters of the model's, on a button or in its tooltip

/**
 * A button of one of the three styles; a dangerous one says so also to those who see no colour.
 * @param {string} label @param {string|undefined} style @param {Record<string, any>} properties
 * @param {...(Node|string|null|false|undefined)} below
 */
export function styled(label, style, properties, ...below) {
  const known = style && STYLES.includes(style) ? style : "primary";
  return make("button", { type: "button", class: known, ...properties }, label, known === "danger" && make("span", { class: "unseen" }, " (danger)"), ...below);
}

/** What one of the person's own actions is, if the card of what it would do does not say it already. @param {any} one */
function ownWords(one) {
  const said = one.card?.steps.some((/** @type {any} */ step) => step.warns.includes(one.text));
  return said ? `Your own action “${one.name}” would do this:` : sentence(one.text);
}

/** Return what a click on the button of an own action does, in sayso's words. @param {any} one */
function deedOf({ name, card }) {
  if (!card) return `Run “${name}”`;
  return card.steps.length === 1 ? card.steps[0].text : `Do all ${card.steps.length} of “${name}”`;
}

/** Return a text without what makes no difference to a reader: capitals, kinds of quotes, blanks, a full stop. @param {string} text */
const bare = (text) => text.toLowerCase().replace(/[“”„«»"'‘’`]/g, "").replace(/\s+/g, " ").replace(/[.!]$/, "").trim();

/**
 * Return the second line of a button, what the model calls it; nothing if that only repeats the first.
 * An own action has its name as its label where the model gave none.
 * @param {string|null} label @param {string} deed @param {string} [name]
 */
function called(label, deed, name) {
  if (!label?.trim() || bare(label) === bare(deed) || (label === name && deed.includes(name))) return [];
  return [" ", make("span", { class: "called" }, label === name ? "Your own action " : "The model calls it ", quote(cut(label, LONGEST_LABEL)))];
}

/** Return all of what an own action was offered with, where a button has not all of it. @param {any} instance */
function offeredAs({ label, description }) {
  const long = [...label].length > LONGEST_LABEL;
  if (!long && !description) return null;
  return make("p", { class: "quiet" }, "The model ", long && "calls it ", long && quote(label), long && description && " and ", description && "says ", description && quote(description), ".");
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
  shown = "";

  /**
   * Show what is offered; an action whose handler has said what it wants to do has the card of that.
   * @param {string} session @param {any[]} buttons @param {any[]} actions @param {any[]} cards
   */
  show(session, buttons, actions, cards) {
    this.session = session;
    this.buttons = buttons;
    this.actions = actions.filter((one) => ["pending", "running", "waiting"].includes(one.state))
      .map((one) => ({ ...one, card: cards.find((card) => card.run === one.run) ?? null }));
    this.draw();
  }

  /** What of all this is answered by a yes or a no to what was shown. */
  get answerable() {
    return [...this.buttons, ...this.actions.filter((one) => one.card)];
  }

  draw() {
    const shown = JSON.stringify([this.buttons.map((one) => one.digest), this.actions.map((one) => [one.instance, one.card?.digest])]);
    const drawn = JSON.stringify([shown, this.actions.map((one) => one.state), [...this.running], [...this.sure]]);
    if (drawn === this.drawn) return;
    const changed = this.drawn !== "" && this.shown !== shown;
    this.drawn = drawn;
    this.shown = shown;
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
    const oneRun = new Set(this.buttons.map((one) => one.run)).size === 1;
    const number = (/** @type {any} */ one, /** @type {number} */ place) => (several ? (oneRun ? one.index : place) + 1 : 0);
    const after = Math.max(0, ...this.buttons.map(number));
    fill(this, make("article", { "data-item": "", tabindex: -1, "aria-label": several ? "What you can say yes to" : "Say yes?" },
      start,
      make("ol", { class: several ? "steps" : "steps only" },
        ...this.buttons.map((one, place) => make("li", { "data-n": number(one, place) || "" }, make("p", { class: "text" }, one.text), stepBody(one.card, { alone: !several, called: [...one.card.label ?? ""].length > LONGEST_LABEL }))),
        ...this.actions.map((one, place) => make("li", { "data-n": several ? after + place + 1 : "" },
          make("p", { class: "text" }, ownWords(one)),
          ...(one.card?.steps ?? []).map((/** @type {any} */ step) => make("div", { class: "each" }, make("p", { class: "text" }, step.text), stepBody({ ...step, asks: false }))),
          offeredAs(one.instance),
          one.card && make("p", { class: "quiet" }, make("a", { href: "#waiting" }, "Edit it, or leave out a part"))))),
      several && this.foot(),
      this.note,
      make("div", { class: "offers" }, end,
        ...this.buttons.map((one, place) => this.button(one, number(one, place))),
        ...this.actions.map((one, place) => this.action(one, several ? after + place + 1 : 0)),
        this.answerable.length > 0 && make("div", { class: this.buttons.length > 1 ? "whole" : "" }, this.buttons.length > 1 && this.all(this.buttons.map(number)), make("button", { type: "button", class: "plain no", "data-id": "no", disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.refuse(event) },
          this.answerable.length > 1 ? "No to all" : "No")))));
    if (this.answerable.length) this.deliberate = new Deliberate(start, end);
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
    return styled(runs ? "..." : this.words(one.id, number, one.text), one.style,
      { "data-id": one.id, title: visible(one.text), disabled: runs, onclick: (/** @type {Event} */ event) => this.decide(event, [one]) },
      ...(runs ? [] : called(one.label, one.text)));
  }

  /** A button for all that the reply proposed; where own actions stand beside it, it says which those are. @param {number[]} numbers */
  all(numbers) {
    const which = this.actions.length ? new Intl.ListFormat("en").format(numbers.map(String)) : `all ${numbers.length}`;
    const style = this.buttons.some((one) => one.style === "danger") ? "danger" : "primary";
    const sure = this.buttons.some((one) => this.sure.has(one.id));
    return styled(sure ? "Yes to all, I am sure" : `Apply ${which}`, style,
      { "data-id": "all", class: `${style} all`, disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.decide(event, this.buttons) });
  }

  /** Return sayso's words on a button. @param {string} id @param {number} number @param {string} deed */
  words(id, number, deed) {
    return cut(`${number ? `${number}. ` : ""}${this.sure.has(id) ? "Yes, I am sure: " : ""}${deed}`, LONGEST);
  }

  /** @param {any} one @param {number} number */
  action(one, number) {
    const { instanceId: id, sessionId, label, description } = one.instance;
    const steps = one.card?.steps ?? [];
    const dangerous = one.style === "danger" || steps.some((/** @type {any} */ step) => step.style === "danger");
    const runs = this.running.has(id) || (one.state !== "pending" && !one.card);
    const deed = deedOf(one);
    const ours = steps.map((/** @type {any} */ step) => step.text).join("; ") || one.text;
    const theirs = steps.length && !dangerous ? description : description && `The model says: ${quoted(cut(description.replace(/\s+/g, " "), LONGEST_LABEL))}`;
    return styled(runs ? "..." : this.words(id, number, deed), dangerous ? "danger" : one.style, {
      "data-id": id, title: visible(theirs || ours), disabled: runs,
      onclick: (/** @type {Event} */ event) => this.run(event, one, { type: "execute_action", instanceId: id, sessionId }),
    }, ...(runs ? [] : called(label, deed, one.name)));
  }

  /**
   * Run one of the person's own actions. If what it would do was shown, the click is the yes to exactly that.
   * @param {Event} event @param {any} one @param {any} message
   */
  async run(event, one, message) {
    const id = message.instanceId;
    const refusal = (one.card ? this.deliberate?.refusal(event) : !event.isTrusted) || store.brake;
    if (this.running.has(id) || refusal) return this.tell(typeof refusal === "string" ? refusal : "");
    if (!store.send(message)) return this.tell("Not connected; nothing was sent. Try again in a moment.");
    this.running.add(id);
    this.tell("");
    this.draw();
    if (one.card) await this.answer([id], () => this.decideCard(one, "yes"));
  }

  /** @param {any} one @param {"yes"|"no"} said */
  decideCard(one, said) {
    const { run, digest, nonce } = one.card;
    return api.decide({ run, digest, nonce, answer: said, leave_out: [], reason: "", sure: this.sure.has(one.instance.instanceId), permits: [] });
  }

  /** Say no to all that is shown. @param {Event} event */
  async refuse(event) {
    const refusal = this.deliberate?.refusal(event);
    if (refusal || this.running.size) return this.tell(refusal ?? "");
    const actions = this.actions.filter((one) => one.card);
    const { buttons } = this;
    const ids = [...buttons.map((one) => one.id), ...actions.map((one) => one.instance.instanceId)];
    for (const id of ids) this.running.add(id);
    this.draw();
    await this.answer(ids, async () => {
      if (buttons.length) await this.take(buttons, "no");
      for (const one of actions) await this.decideCard(one, "no");
      announce("You said no; nothing of it was done.");
      return { results: [] };
    });
  }

  /** Called when one of the person's own actions has ended, or could not begin. @param {string} id @param {string} [why] */
  ended(id, why) {
    if (!this.running.delete(id)) return;
    if (why) this.tell(why);
    this.draw();
  }

  /** @param {any[]} taken @param {"yes"|"no"} said */
  take(taken, said) {
    return api.talk(this.session, "offers", {
      take: taken.map(({ id, digest, nonce }) => ({ id, digest, nonce })), answer: said, sure: taken.some((one) => this.sure.has(one.id)),
    });
  }

  /** Say yes to some of the buttons. @param {Event} event @param {any[]} taken */
  async decide(event, taken) {
    if (taken.some((one) => this.running.has(one.id))) return;
    const refusal = this.deliberate?.refusal(event) || store.brake;
    if (refusal) return this.tell(refusal);
    const ids = taken.map((one) => one.id);
    for (const id of ids) this.running.add(id);
    this.tell("");
    this.draw();
    await this.answer(ids, () => this.take(taken, "yes"));
  }

  /** Send an answer, and show what came of it. @param {string[]} ids @param {() => Promise<any>} send */
  async answer(ids, send) {
    try {
      const report = await send();
      offerUndo(report);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === "page.twice") for (const id of ids) this.sure.add(id);
      this.tell(problem.message);
    }
    await store.refresh();
    for (const id of ids) this.running.delete(id);
    this.draw();
  }

  /** @param {string} key @param {KeyboardEvent} event */
  pressed(key, event) {
    if (!["a", "r"].includes(key) || !this.answerable.length) return false;
    const at = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.id;
    const one = this.buttons.filter((button) => button.id === at);
    if (key === "r") this.refuse(event);
    else if (this.buttons.length) this.decide(event, one.length ? one : this.buttons);
    else this.tell("Press the button of the one that you mean.");
    return true;
  }

  /** @param {string} text */
  tell(text) {
    fill(this.note, text);
  }

  connectedCallback() {
    this.deliberate?.watch();  // only now is known what covers the window here
  }

  disconnectedCallback() {
    this.deliberate?.stop();
  }
}

customElements.define("sayso-offers", Offers);
