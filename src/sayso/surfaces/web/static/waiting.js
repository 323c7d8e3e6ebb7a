// What waits for the person, from wherever it was asked: a card for each request.

import { api } from "./api.js";
import "./card.js";
import { restartAll } from "./deliberate.js";
import { announce, fill, make } from "./parts.js";

/** @typedef {import("./card.js").Card} Card */

/** Where an answer was given, by how the journal names it. */
export const WAYS = {
  click: "in a window of this page", terminal: "at the terminal", command: "by a command", notification: "in a notification",
  form: "in the program that asked", editor: "in your editor", client: "in the program that asked", flag: "by --yes",
};

/** Return how a request ended that is answered no more here. @param {any} row */
export function howItEnded(row) {
  const what = row.title;
  if (row.state === "waiting") return `“${what}” waits under another number now.`;
  if (row.state === "expired") return `“${what}” has expired: nobody answered in time, and nothing of it was done.`;
  if (row.code === "edit.replaced") return `“${what}” was edited; what came of it is asked about as new.`;
  const where = /** @type {Record<string, string>} */ (WAYS)[row.approved_by] ?? (row.approved_by ? `by ${row.approved_by}` : "elsewhere");
  if (row.code === "call.withdrawn") return `“${what}” was taken back by whoever proposed it.`;
  return row.state === "declined" ? `“${what}” was answered with no ${where}.` : `“${what}” was answered ${where}; it is ${row.state === "undone" ? "taken back" : row.state}.`;
}

class Waiting extends HTMLElement {
  number = 0;
  known = false;
  went = "";
  heading = make("h1", {}, "Waiting");
  told = make("p", { class: "note", role: "status" });
  empty = make("div", { class: "empty", hidden: true },
    make("p", {}, "Nothing waits for you. What asks for your yes appears here by itself, from wherever it was asked."),
    make("p", {}, "To see one, ask in the ", make("a", { href: "#chat" }, "chat"), " to delete one of your files; it stays until you say yes."));
  cards = make("div", { class: "cards" });

  connectedCallback() {
    fill(this, this.heading, this.told, this.empty, this.cards);
    this.addEventListener("stale", (event) => this.stale(/** @type {CustomEvent} */ (event)));
    this.addEventListener("answered", (event) => this.edited(/** @type {CustomEvent} */ (event).detail));
    setInterval(() => this.tick(), 1000);
  }

  /** Show what waits now; when this ends, it was shown, by this call or by one that was made since. */
  refresh() {
    return (this.newest = this.fetch());
  }

  async fetch() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const { waiting } = await api.waiting();
    if (asked === this.asked) this.show(waiting);
    else await this.newest;
  }

  /** @param {CustomEvent} event */
  async stale(event) {
    const card = /** @type {Card} */ (event.target);
    await this.refresh().catch(() => {});
    if (!card.isConnected || card.ended) this.say(event.detail);
  }

  /** @param {{said: string, run: string}} told */
  async edited({ said, run }) {
    if (said !== "edit") fill(this.told);  // it was about what is answered now
    if (said !== "edit" || !run) return;
    await this.refresh();
    this.say("Edited and checked. Look at it again: nothing is approved by editing.");
    const made = this.all().find((one) => one.card.run === run);
    if (made) this.enter(made);
  }

  /** Keep the elements of cards that are as they were, with what was typed in them. @param {any[]} waiting */
  show(waiting) {
    const old = new Map(this.all().map((one) => [one.card.run, one]));
    const before = [...this.cards.children];
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
      fresh.addEventListener("closed", () => this.closed());
      if (element?.deliberate.seenStart) fresh.tell("This has changed since you saw it. Look at it again.", true);
      return fresh;
    });
    const rest = [...old.values()].filter((one) => (one.ended && one.forms === null) || one.busy);
    this.tellGone([...old.values()].filter((one) => !rest.includes(one) && !one.ended));
    const stays = /** @type {Element[]} */ ([...shown, ...rest]);
    this.place([...shown.filter((one) => !before.includes(one)), ...before.filter((one) => stays.includes(one))]);
    this.empty.hidden = this.cards.children.length > 0;
    if (waiting.length > this.number || (!this.known && waiting.length)) announce(waiting.length === 1 ? "One request waits for you." : `${waiting.length} requests wait for you.`);
    this.number = waiting.length;
    this.known = true;
    this.goTo();
    this.dispatchEvent(new CustomEvent("counted", { detail: waiting.length }));
  }

  /** Say of what is not asked here any more who answered it. @param {Card[]} gone */
  async tellGone(gone) {
    if (!gone.length) return;
    const elsewhere = this.hidden;  // what a click in another view answered was told there
    const told = await Promise.all(gone.map((one) => api.row(one.card.ids[0]).then(({ row }) => (elsewhere && row.approved_by === "click" ? "" : howItEnded(row)), () => "A request was answered elsewhere, or has expired.")));
    if (told.some(Boolean)) this.say(told.filter(Boolean).join(" "));
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

  closed() {
    this.empty.hidden = this.cards.children.length > 0;
    this.focusFirst();
    if (document.activeElement !== document.body) return;
    this.heading.tabIndex = -1;
    this.heading.focus({ preventScroll: true });
  }

  focusFirst() {
    if (this.hidden || (document.activeElement && document.activeElement !== document.body)) return;
    this.all().find((one) => !one.ended)?.no.focus({ preventScroll: true });
  }

  /** An address such as “#waiting/ID” goes to the card of this run or action, once. */
  goTo() {
    const [view, id] = location.hash.slice(1).split("/");
    if (view !== "waiting" || !id || this.hidden) this.went = "";
    else if (id !== this.went) {
      const asked = this.all().find((one) => one.card.run === id || one.card.ids.includes(id));
      if (asked) this.enter(asked);
      else this.say("What this address names does not wait any more; the history tells what became of it.");
      this.went = id;
    }
  }

  /** @param {Card} card */
  enter(card) {
    card.no.focus({ preventScroll: true });
    card.scrollIntoView({ block: "start" });  // its beginning has to be in view before a yes counts
  }

  /** Go to the newest of what waits. @param {string} key */
  pressed(key) {
    const newest = this.all().find((one) => !one.ended);
    if (key !== "n" || !newest) return false;
    this.enter(newest);
    return true;
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
      if (expires < now && !one.expired) {
        one.expired = true;
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

customElements.define("sayso-waiting", Waiting);
