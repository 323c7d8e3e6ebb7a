// What a reply offers: actions that wait for a yes, each with a button, and the person's own actions. A button says what a
// click does, in sayso's words, made from the plan, and below them what the model calls it, quoted. The model's colour and
// tooltip count only where the plan has no danger. A button that was pressed goes; the others stay.

import { Problem, api, sentence } from "./api.js";
import { Deliberate, restartAll } from "./deliberate.js";
import { allOf, announce, cut, fill, make, quote, quoted, tellsMore, visible } from "./parts.js";
import { asking, stepBody, wayBack } from "./steps.js";
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

/**
 * Return the second line of a button, what the model calls it; nothing if that only repeats some of the first.
 * An own action has its name as its label where the model gave none.
 * @param {string|null} label @param {string} deed @param {string} [name]
 */
function called(label, deed, name) {
  if (!label || !tellsMore(label, deed)) return [];
  return [" ", make("span", { class: "called" }, label === name ? "Your own action " : "The model calls it ", quote(cut(label, LONGEST_LABEL)))];
}

/** Return all of what an own action was offered with, where a button has not all of it. @param {any} instance */
function offeredAs({ label, description }) {
  const long = [...label].length > LONGEST_LABEL;
  if (!long && !description) return null;
  return make("p", { class: "quiet" }, "The model ", long && "calls it ", long && quote(label), long && description && " and ", description && "says ", description && quote(description), ".");
}

/** The way to the card of what waits, which does more than a button. @param {string} run */
const more = (run) => make("p", { class: "quiet" }, make("a", { href: `#waiting/${run}` }, "Edit, or always allow…"));

/** @typedef {{digest: string|undefined, start: Element, end: Element, note: Element, deliberate?: Deliberate}} Row */

const edge = () => make("span", { class: "edge" });

class Offers extends HTMLElement {
  /** What runs, by the id of the action; its buttons show "..." until it has ended. */
  running = new Set();
  /** What has to be confirmed once more. */
  sure = new Set();
  /** @type {any[]} */ buttons = [];
  /** @type {any[]} */ actions = [];
  note = make("p", { class: "note", role: "status" });
  reason = make("input", { type: "text", "data-id": "reason", maxlength: 500, autocomplete: "off", "aria-label": "Reason for a no", placeholder: "Reason for a no (optional)" });
  start = edge();
  end = edge();
  /** @type {Deliberate|undefined} */ whole;
  /** What was in view of each action, by the id of the action. @type {Map<string, Row>} */
  rows = new Map();
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
    this.forget();
    if (this.hidden) {
      fill(this);
      if (had) this.closest("sayso-chat")?.querySelector("textarea")?.focus({ preventScroll: true });
      return;
    }
    const several = this.buttons.length + this.actions.length > 1;
    const oneRun = new Set(this.buttons.map((one) => one.run)).size === 1;
    const number = (/** @type {any} */ one, /** @type {number} */ place) => (several ? (oneRun ? one.index : place) + 1 : 0);
    const after = Math.max(0, ...this.buttons.map(number));
    const together = this.buttons.length > 1 && oneRun;
    const said = this.shared(number);
    const no = this.answerable.length > 0 && [this.reason, make("button", { type: "button", class: "plain no", "data-id": "no", disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.refuse(event) },
      this.answerable.length > 1 ? `No to ${allOf(this.answerable.length).replace(/ \d.*/, "")}` : "No")];
    fill(this, make("article", { "data-item": "", tabindex: -1, "aria-label": several ? "What you can say yes to" : "Say yes?" },
      this.start,
      said.words.length > 0 && make("div", { class: "shared" }, ...said.words),
      make("ol", { class: several ? "steps" : "steps only" },
        ...this.buttons.map((one, place) => this.row(one.id, one.digest, number(one, place), [this.button(one), ...(!several && no || [])],
          make("p", { class: "text" }, one.text), stepBody(one.card, { why: !said.why, back: !said.back, called: [...one.card.label ?? ""].length > LONGEST_LABEL }), !together && more(one.run))),
        ...this.actions.map((one, place) => this.row(one.instance.instanceId, one.card?.digest, several ? after + place + 1 : 0, [this.action(one), ...(!several && no || [])],
          make("p", { class: "text" }, ownWords(one)),
          ...(one.card?.steps ?? []).map((/** @type {any} */ step) => make("div", { class: "each" }, make("p", { class: "text" }, step.text), stepBody({ ...step, asks: false }))),
          offeredAs(one.instance),
          one.card && make("p", { class: "quiet" }, make("a", { href: `#waiting/${one.card.run}` }, "Edit it, or leave out a part"))))),
      together && more(this.buttons[0].run),
      several && this.note,
      several && no && make("div", { class: "offers whole" }, this.end, this.buttons.length > 1 && this.all(this.buttons.map(number)), ...no)));
    this.watch(several);
    if (changed) restartAll();
    if (had) (/** @type {HTMLElement|null} */ (this.querySelector(`[data-id="${CSS.escape(had)}"]:not(:disabled)`)) ?? this.querySelector("article"))?.focus({ preventScroll: true });
  }

  /**
   * Return the row of one action: its sentence, its card, and below them its buttons.
   * @param {string} id @param {string|undefined} digest @param {number} number
   * @param {(Node|false)[]} buttons @param {...(Node|null|false)} inside
   */
  row(id, digest, number, buttons, ...inside) {
    if (!this.rows.has(id)) this.rows.set(id, { digest, start: edge(), end: edge(), note: make("p", { class: "note", role: "status" }) });
    const { start, end, note } = /** @type {Row} */ (this.rows.get(id));
    return make("li", { "data-n": number || "" }, start, ...inside, note, make("div", { class: "offers" }, end, ...buttons));
  }

  /** Forget what was in view of rows that are gone, or show something else by now. */
  forget() {
    const now = new Map(this.buttons.map((one) => [one.id, one.digest]));
    for (const one of this.actions) now.set(one.instance.instanceId, one.card?.digest);
    for (const [id, row] of this.rows) {
      if (now.has(id) && now.get(id) === row.digest) continue;
      row.deliberate?.stop();
      this.rows.delete(id);
    }
    for (const id of now.keys()) if (!this.rows.has(id)) this.stop();  // all of them have to be looked at again
    if (this.rows.size < 2) this.stop();
  }

  /** Watch what comes into view: an answer counts only after the sentence and the card that it is about. @param {boolean} several */
  watch(several) {
    for (const one of [...this.buttons, ...this.actions]) {
      const row = /** @type {Row} */ (this.rows.get(one.id ?? one.instance.instanceId));
      row.deliberate ??= new Deliberate(row.start, row.end);
      row.deliberate.restart();
    }
    if (!several || !this.answerable.length) return;
    this.whole ??= new Deliberate(this.start, this.end);
    this.whole.restart();
  }

  /** Return what has to be in view for an answer by a button. @param {string} at the id on the button */
  deliberateOf(at) {
    return this.rows.get(at)?.deliberate ?? this.whole ?? [...this.rows.values()][0]?.deliberate;
  }

  /** Return why an answer by a button does not count; "" if it does. @param {Event} event @param {string} at */
  refusal(event, at) {
    const refusal = this.deliberateOf(at)?.refusal(event) ?? "";
    if (refusal || at !== "all") return refusal;
    const unseen = this.buttons.map((one) => this.rows.get(one.id)).find((one) => one && !(one.deliberate?.seenStart && one.deliberate.seenEnd));
    return unseen ? `Number ${unseen.start.closest("li")?.dataset.n} was never in view. Look at all of them first.` : "";
  }

  /** What is true of several of them is said once, above them. @param {(one: any, place: number) => number} number */
  shared(number) {
    const steps = this.actions.length || this.buttons.length < 2 ? [] : this.buttons.map((one) => one.card);
    const back = steps.length > 0 && steps.every((one) => !one.lost && one.undo === steps[0].undo);
    return { why: steps.length > 0, back, words: [...asking(steps, this.buttons.map(number)), back && wayBack(steps[0])].filter((one) => one instanceof Node) };
  }

  /** @param {any} one */
  button(one) {
    const runs = this.running.has(one.id);
    return styled(runs ? "..." : this.words(one.id, one.text), one.style,
      { "data-id": one.id, title: visible(one.text), disabled: runs, onclick: (/** @type {Event} */ event) => this.decide(event, [one], one.id) },
      ...(runs ? [] : called(one.label, one.text)));
  }

  /** A button for all that the reply proposed; where own actions stand beside it, it says which those are. @param {number[]} numbers */
  all(numbers) {
    const which = this.actions.length ? new Intl.ListFormat("en").format(numbers.map(String)) : allOf(numbers.length);
    const style = this.buttons.some((one) => one.style === "danger") ? "danger" : "primary";
    const sure = this.buttons.every((one) => this.sure.has(one.id));
    return styled(sure ? `Yes to ${allOf(numbers.length).replace(/ \d.*/, "")}, I am sure` : `Apply ${which}`, style,
      { "data-id": "all", class: `${style} all`, disabled: this.running.size > 0, onclick: (/** @type {Event} */ event) => this.decide(event, this.buttons, "all") });
  }

  /** Return sayso's words on a button. @param {string} id @param {string} deed */
  words(id, deed) {
    return cut(`${this.sure.has(id) ? "Yes, I am sure: " : ""}${deed}`, LONGEST);
  }

  /** @param {any} one */
  action(one) {
    const { instanceId: id, sessionId, label, description } = one.instance;
    const steps = one.card?.steps ?? [];
    const dangerous = one.style === "danger" || steps.some((/** @type {any} */ step) => step.style === "danger");
    const runs = this.running.has(id) || (one.state !== "pending" && !one.card);
    const deed = deedOf(one);
    const ours = steps.map((/** @type {any} */ step) => step.text).join("; ") || one.text;
    const theirs = steps.length && !dangerous ? description : description && `The model says: ${quoted(cut(description.replace(/\s+/g, " "), LONGEST_LABEL))}`;
    return styled(runs ? "..." : this.words(id, deed), dangerous ? "danger" : one.style, {
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
    if (this.running.has(id)) return;
    const refusal = this.refusal(event, id) || store.brake;
    if (refusal) return this.tell(refusal, id);
    if (!store.send(message)) return this.tell("Not connected; nothing was sent. Try again in a moment.", id);
    this.running.add(id);
    this.tell("");
    this.draw();
    if (one.card) await this.answer([id], id, () => this.decideCard(one, "yes"));
  }

  /** @param {any} one @param {"yes"|"no"} said */
  decideCard(one, said) {
    const { run, digest, nonce } = one.card;
    return api.decide({ run, digest, nonce, answer: said, leave_out: [], reason: said === "no" ? this.reason.value : "", sure: this.sure.has(one.instance.instanceId), permits: [] });
  }

  /** Say no to all that is shown. @param {Event} event */
  async refuse(event) {
    const refusal = this.refusal(event, "no");
    if (refusal || this.running.size) return this.tell(refusal, "no");
    const actions = this.actions.filter((one) => one.card);
    const { buttons } = this;
    const ids = [...buttons.map((one) => one.id), ...actions.map((one) => one.instance.instanceId)];
    for (const id of ids) this.running.add(id);
    this.draw();
    await this.answer(ids, "no", async () => {
      if (buttons.length) await this.take(buttons, "no");
      for (const one of actions) await this.decideCard(one, "no");
      this.reason.value = "";
      announce("You said no; nothing of it was done.");
      return { results: [] };
    });
  }

  /** Called when one of the person's own actions has ended, or could not begin. @param {string} id @param {string} [why] */
  ended(id, why) {
    if (!this.running.delete(id)) return;
    if (why) this.tell(why, id);
    this.draw();
  }

  /** @param {any[]} taken @param {"yes"|"no"} said */
  take(taken, said) {
    return api.talk(this.session, "offers", {
      take: taken.map(({ id, digest, nonce }) => ({ id, digest, nonce })), answer: said, reason: said === "no" ? this.reason.value : "", sure: taken.every((one) => this.sure.has(one.id)),
    });
  }

  /** Say yes to some of the buttons. @param {Event} event @param {any[]} taken @param {string} at the id on what was pressed */
  async decide(event, taken, at) {
    if (taken.some((one) => this.running.has(one.id))) return;
    const refusal = this.refusal(event, at) || store.brake;
    if (refusal) return this.tell(refusal, at);
    const ids = taken.map((one) => one.id);
    for (const id of ids) this.running.add(id);
    this.tell("");
    this.draw();
    await this.answer(ids, at, () => this.take(taken, "yes"));
  }

  /** Send an answer, and show what came of it. @param {string[]} ids @param {string} at @param {() => Promise<any>} send */
  async answer(ids, at, send) {
    try {
      const report = await send();
      offerUndo(report);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.code === "page.twice") for (const id of ids) this.sure.add(id);
      this.tell(problem.message, at);
    }
    await store.refresh();
    for (const id of ids) this.running.delete(id);
    this.draw();
  }

  /** @param {string} key @param {KeyboardEvent} event */
  pressed(key, event) {
    if (!["a", "r", "e"].includes(key) || !this.answerable.length) return false;
    const at = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.id;
    if (key === "e") return this.goToCard(at);
    const one = this.buttons.filter((button) => button.id === at);
    if (key === "r") this.refuse(event);
    else if (this.actions.some(({ instance }) => instance.instanceId === at)) this.tell("Press this button itself, if you mean it.", at);
    else if (one.length || this.buttons.length === 1) this.decide(event, one.length ? one : this.buttons, this.buttons.length === 1 ? this.buttons[0].id : one[0].id);
    else if (this.buttons.length) this.decide(event, this.buttons, "all");
    else this.tell("Press the button of the one that you mean.");
    return true;
  }

  /** Go to the card on Waiting, where what waits is edited; of several, to that of the button that has the focus. @param {string} [at] */
  goToCard(at) {
    const all = this.answerable;
    const here = all.find((one) => (one.id ?? one.instance.instanceId) === at) ?? (all.every((one) => one.run === all[0].run) ? all[0] : null);
    if (here) location.hash = `waiting/${here.run}`;
    else this.tell("Go to the button of the one that you mean.");
    return true;
  }

  /** Say something where a button was pressed. @param {string} text @param {string} [at] the id on the button */
  tell(text, at = "") {
    const said = this.rows.get(at)?.note ?? (this.note.isConnected ? this.note : [...this.rows.values()][0]?.note);
    for (const one of [this.note, ...[...this.rows.values()].map(({ note }) => note)]) fill(one, one === said ? text : "");
  }

  connectedCallback() {
    for (const one of [this.whole, ...[...this.rows.values()].map(({ deliberate }) => deliberate)]) one?.watch();  // only now is known what covers the window here
  }

  stop() {
    this.whole?.stop();
    this.whole = undefined;
  }

  disconnectedCallback() {
    for (const one of [this.whole, ...[...this.rows.values()].map(({ deliberate }) => deliberate)]) one?.stop();
  }
}

customElements.define("sayso-offers", Offers);
