// One message of a conversation: its text, what became of what it proposed, and what it offers.

import { sentence } from "./api.js";
import "./offers.js";
import { deed, fill, make, outcome, prose, time } from "./parts.js";
import { takeBack } from "./undobar.js";

class Message extends HTMLElement {
  /** @type {any} */ message = null;
  text = make("div", { class: "text-part" });
  rest = make("div", { class: "rest-part" });
  used = make("p", { class: "quiet used" });
  offers = /** @type {any} */ (document.createElement("sayso-offers"));
  drawnText = "";
  drawnRest = "";

  connectedCallback() {
    if (!this.firstChild) this.append(this.text, this.rest, this.offers, this.used);
  }

  /**
   * @param {any} message @param {any} session @param {any[]} cards
   * @param {(message: any) => void} askAgain
   */
  show(message, session, cards, askAgain) {
    this.message = message;
    this.className = message.role;
    const text = JSON.stringify([message.html, message.text, message.attachments, message.time]);
    if (text !== this.drawnText) {
      this.drawnText = text;
      this.drawText(message);
    }
    const rest = JSON.stringify([message.outcomes, message.error, message.stopped, message.used, message.can_ask_again, message.cut]);
    if (rest !== this.drawnRest) {
      this.drawnRest = rest;
      this.drawRest(message, askAgain);
    }
    const open = new Set(message.buttons);
    const mine = new Set(message.actions);
    this.offers.show(session.id,
      session.entry === "chat" ? session.buttons.filter((/** @type {any} */ one) => open.has(one.id)) : [],
      session.actions.filter((/** @type {any} */ one) => mine.has(one.instance.instanceId)), cards);
  }

  /** @param {any} message */
  drawText(message) {
    const who = { user: "You", assistant: "sayso", system: "Result" }[/** @type {"user"} */ (message.role)];
    const empty = !message.text && !message.html;
    const bubble = !empty && (message.html ? prose(make("div", { class: "bubble prose" }), message.html) : make("div", { class: "bubble" }, message.text));
    const names = message.attachments ?? [];
    fill(this.text,
      make("h3", { class: "unseen" }, who, " "),
      bubble,
      names.length > 0 && make("ul", { class: "attached", "aria-label": "Attached" }, ...names.map((/** @type {string} */ one) => make("li", {}, one))),
      message.role === "user" && make("p", { class: "quiet when" }, time(message.time)));
  }

  /** @param {any} message @param {(message: any) => void} askAgain */
  drawRest(message, askAgain) {
    const outcomes = (message.outcomes ?? []).filter((/** @type {any} */ one) => one.row.state !== "waiting");
    fill(this.rest,
      outcomes.length > 0 && make("ul", { class: "outcomes" }, ...outcomes.map((/** @type {any} */ one) => this.outcome(one))),
      message.cut && make("p", { class: "quiet" }, "The reply is cut off here."),
      message.stopped && make("p", { class: "quiet" }, sentence(message.stopped)),
      message.error && make("div", { class: "told danger error" }, make("p", {}, sentence(message.error)),
        message.can_ask_again && make("button", { type: "button", onclick: () => askAgain(message) }, "Ask again")));
    this.used.hidden = !message.used;
    fill(this.used, [message.model, message.used].filter(Boolean).join(" · "));
  }

  /** @param {any} one */
  outcome({ row }) {
    const told = outcome(row);
    const shown = row.success ? deed(row) : row.title;
    return make("li", { class: row.success ? "good" : "bad", "data-row": row.id },
      make("span", { class: `state ${row.state}` }, row.state),
      make("div", { class: "what" }, make("p", {}, shown), told !== shown && make("p", { class: "quiet" }, told)),
      row.undo && make("button", { type: "button", class: "undo", "aria-label": `Undo: ${shown}`, onclick: (/** @type {Event} */ event) => this.undo(event, row.undo) }, "Undo"));
  }

  /** @param {Event} event @param {string} id */
  async undo(event, id) {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if (!event.isTrusted || button.ariaDisabled) return;
    button.ariaDisabled = "true";
    fill(button, "...");
    await takeBack([id]);
    button.ariaDisabled = null;
    fill(button, "Undo");
  }

  /** @param {string} key @param {KeyboardEvent} event */
  pressed(key, event) {
    return this.offers.pressed(key, event);
  }
}

customElements.define("sayso-message", Message);
