// Where a message is written. What was typed stays over reloads; what is pasted or dropped goes along as marked data.

import { fill, make } from "./parts.js";

const MOST = 100_000;
const MOST_ATTACHED = 10;
/** A pasted text this long is somebody else's more often than not, and goes along as data. */
const LONG = 1000;
const touch = matchMedia("(pointer: coarse)");

class Composer extends HTMLElement {
  /** @type {{name: string, text: string}[]} */ attached = [];
  session = "";
  busy = false;
  /** Sends a message; returns whether it arrived. @type {(text: string, attached: {name: string, text: string}[]) => Promise<boolean>} */ send = async () => false;
  stop = () => {};

  text = make("textarea", {
    rows: 1, maxlength: MOST, "aria-label": "Message", placeholder: "What shall I do?",
    oninput: () => this.keep(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event), onpaste: (/** @type {ClipboardEvent} */ event) => this.paste(event),
  });
  chips = make("ul", { class: "attached", "aria-label": "Goes along as data" });
  note = make("p", { class: "note", role: "status" });
  file = make("input", { type: "file", multiple: true, hidden: true, onchange: () => this.take(this.file.files) });
  go = make("button", { type: "button", class: "primary go", onclick: () => (this.busy ? this.stop() : this.submit()) }, "Send");

  connectedCallback() {
    if (this.firstChild) return;
    fill(this, this.chips, this.note, make("div", { class: "write" },
      make("button", { type: "button", class: "plain", "aria-label": "Attach text files", title: "Attach text files; they go along as data, not as your words", onclick: () => this.file.click() }, "+"),
      this.text, this.go), this.file);
    this.addEventListener("dragover", (event) => event.preventDefault());
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      const text = event.dataTransfer?.getData("text/plain");
      if (event.dataTransfer?.files.length) this.take(event.dataTransfer.files);
      else if (text) this.attach("dropped text", text);
    });
    this.restore();
  }

  get place() {
    return `sayso.draft.${this.session}`;
  }

  /** Show what was typed for a conversation. @param {string} session */
  open(session) {
    if (session === this.session) return;
    this.session = session;
    this.restore();
  }

  /** The conversation got its id: what is typed is kept under it. @param {string} session */
  rename(session) {
    localStorage.removeItem(this.place);
    this.session = session;
    this.keep();
  }

  restore() {
    this.text.value = localStorage.getItem(this.place) ?? "";
    this.attached = [];
    this.draw();
  }

  keep() {
    if (this.text.value) localStorage.setItem(this.place, this.text.value);
    else localStorage.removeItem(this.place);
  }

  /** @param {string} text */
  write(text) {
    this.text.value = text;
    this.keep();
    this.text.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    // While letters are composed, Enter takes what the input method suggests.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229 || touch.matches) return;
    event.preventDefault();
    if (!event.repeat) this.submit();
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const { files } = /** @type {DataTransfer} */ (event.clipboardData);
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!files.length && text.length < LONG) return;
    event.preventDefault();
    if (files.length) this.take(files);
    else this.attach("pasted text", text);
  }

  /** @param {FileList|null|undefined} files */
  async take(files) {
    for (const one of files ?? []) {
      const text = one.size > MOST * 4 ? null : await one.text();
      if (text === null) this.tell(`“${one.name}” is too long to go along; the longest is ${MOST.toLocaleString("en")} characters.`);
      else if (/[\0\ufffd]/.test(text)) this.tell(`“${one.name}” is not text; only text can go along.`);
      else this.attach(one.name, text);
    }
    this.file.value = "";
  }

  /** @param {string} name @param {string} text */
  attach(name, text) {
    if (this.attached.length >= MOST_ATTACHED) return this.tell(`At most ${MOST_ATTACHED} texts go along with a message.`);
    if (text.length > MOST) return this.tell(`“${name}” has ${text.length.toLocaleString("en")} characters; the longest that goes along has ${MOST.toLocaleString("en")}.`);
    this.attached.push({ name, text });
    this.tell("");
    this.draw();
  }

  draw() {
    this.chips.hidden = !this.attached.length;
    fill(this.chips, ...this.attached.map((one) => make("li", { title: one.text.slice(0, 300) },
      make("span", {}, `${one.name} · ${one.text.length.toLocaleString("en")} characters`),
      make("button", { type: "button", class: "plain", "aria-label": `Leave out ${one.name}`, onclick: () => this.drop(one) }, "✕"))));
  }

  /** @param {{name: string, text: string}} one */
  drop(one) {
    this.attached = this.attached.filter((other) => other !== one);
    this.draw();
    this.text.focus();
  }

  async submit() {
    const text = this.text.value.trim();
    if (this.busy || this.sending) return;
    if (!text) return this.tell(this.attached.length ? "Say what is to be done with it." : "");
    this.sending = true;
    try {
      if (await this.send(text, this.attached)) this.sent(text);
    } finally {
      this.sending = false;
    }
  }

  /** @param {string} text */
  sent(text) {
    if (this.text.value.trim() === text) this.text.value = "";
    this.keep();
    this.attached = [];
    this.draw();
    this.tell("");
  }

  /** @param {boolean} busy whether a reply goes on */
  replying(busy) {
    if (busy === this.busy) return;
    this.busy = busy;
    fill(this.go, busy ? "Stop" : "Send");
    this.go.className = busy ? "secondary go" : "primary go";
  }

  /** @param {string} text */
  tell(text) {
    fill(this.note, text);
  }
}

customElements.define("sayso-composer", Composer);
