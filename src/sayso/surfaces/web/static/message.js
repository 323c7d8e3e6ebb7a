// One message of a conversation: its text, what became of what it proposed, and what it offers.

import { sentence } from "./api.js";
import "./offers.js";
import { deed, fill, make, outcome, prose, state, time, tone } from "./parts.js";
import { takeBack } from "./undobar.js";

/** Return what an action became in the end, in the runs in which it was edited; itself if there is none. @param {any} row @param {any[]} rows @returns {any} */
function became(row, rows) {
  const made = rows.find((one) => one.edit_of === row.id);
  return made ? became(made, rows) : row;
}

/** Return an action and what it became; the latter alone if it only stood beside what was edited. @param {any} row @param {any} now */
const alone = (row, now) => ({ row: JSON.stringify(row.arguments) === JSON.stringify(now.arguments) ? now : row, now });

/** Return what became of an action as it was edited. @param {any} now */
function goesOn(now) {
  if (now.state === "waiting") return `waits for your yes as: ${now.title}`;
  if (now.state === "undone") return `done as: ${deed(now)}; it was taken back`;
  return now.success ? `done as: ${deed(now)}` : `not done as: ${now.title}; ${outcome(now)}`;
}

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
    const rows = (message.outcomes ?? []).map((/** @type {any} */ one) => one.row);
    const ids = new Set(rows.map((/** @type {any} */ one) => one.id));
    const outcomes = rows.filter((/** @type {any} */ one) => !ids.has(one.edit_of))
      .map((/** @type {any} */ one) => alone(one, became(one, rows)))
      .filter((/** @type {any} */ { row }) => row.state !== "waiting");
    fill(this.rest,
      outcomes.length > 0 && make("ul", { class: "outcomes" }, ...outcomes.map((/** @type {any} */ { row, now }) => this.outcome(row, now))),
      message.cut && make("p", { class: "quiet" }, "The reply is cut off here."),
      message.stopped && make("p", { class: "quiet" }, sentence(message.stopped)),
      message.error && make("div", { class: "told danger error" }, make("p", {}, sentence(message.error)),
        message.can_ask_again && make("button", { type: "button", onclick: () => askAgain(message) }, "Ask again")));
    this.used.hidden = !message.used;
    fill(this.used, [message.model, message.used].filter(Boolean).join(" · "));
  }

  /** @param {any} row @param {any} now what it became, if the person edited it; else the same */
  outcome(row, now) {
    const shown = row.success ? deed(row) : row.title;
    const told = now === row ? outcome(row) : goesOn(now);
    return make("li", { class: tone(now), "data-row": now.id },
      state(row),
      make("div", { class: "what" }, make("p", {}, shown), told !== shown && make("p", { class: "quiet" }, told)),
      now.undo && make("button", { type: "button", class: "undo", "aria-label": `Undo: ${deed(now)}`, onclick: (/** @type {Event} */ event) => this.undo(event, now.undo) }, "Undo"));
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
