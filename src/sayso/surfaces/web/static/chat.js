// The chat: what was said in one conversation, the reply as it arrives, and what it offers. Conversations are kept by
// the server; this view reads them, and the socket tells when a piece of a reply has come.

import { Problem, api, whyNot } from "./api.js";
import "./card.js";
import "./composer.js";
import "./message.js";
import { announce, fill, make, prose, time } from "./parts.js";
import { store } from "./store.js";

const LAST = "sayso.conversation";
const NEAR = 120;
const PENDING = "pending";  // not the id of what was sent: the reply gets that one
const KINDS = [["chat", "Talk, and offer buttons"], ["commands", "Ask once for a whole list of steps"], ["automation", "Work through a list of commands"]];

/** Return how much of the top of the window is covered, and some air. */
const above = () => (innerWidth < 900 ? 124 : 76);

class Chat extends HTMLElement {
  /** The conversation that is shown; empty for one that begins with the first message. */
  id = "";
  entry = "chat";
  /** @type {any} */ session = null;
  /** The reply that arrives. @type {{message: string, text: string, blocks: HTMLElement[]}|null} */ live = null;
  /** What was sent and is not yet read back. @type {{text: string, attachments: string[], failed: string, sent: any}|null} */ pending = null;
  /** @type {any[]} */ older = [];
  stays = true;
  asked = 0;
  greets = false;
  progress = "";
  bubble = make("div", { class: "bubble prose" });
  line = make("p", { class: "quiet working" });

  heading = make("h1", {}, "Chat");
  list = make("div", { id: "conversations", popover: "auto", class: "panel", "aria-label": "Conversations" });
  more = make("button", { type: "button", class: "plain", hidden: true, onclick: () => this.readOlder() }, "Show older messages");
  messages = make("div", { class: "messages" });
  reply = make("div", { class: "reply", hidden: true });
  loose = /** @type {any} */ (document.createElement("sayso-offers"));
  cards = make("div", { class: "cards" });
  welcome = make("section", { class: "welcome", hidden: true });
  below = make("button", { type: "button", class: "below", hidden: true, onclick: () => this.toEnd() }, "↓ New below");
  composer = /** @type {any} */ (document.createElement("sayso-composer"));
  foot = make("p", { class: "quiet about" });

  connectedCallback() {
    if (this.firstChild) return;
    this.list.addEventListener("beforetoggle", (event) => /** @type {ToggleEvent} */ (event).newState === "open" && this.listAll());
    fill(this, make("div", { class: "head" }, this.heading,
      make("button", { type: "button", class: "plain", popovertarget: "conversations" }, "Conversations"),
      make("button", { type: "button", class: "plain", onclick: () => this.go("") }, "New")),
    this.list, this.more, this.messages, this.loose, this.reply, this.cards, this.welcome, make("div", { class: "bottom" }, this.below, this.composer, this.foot));
    this.composer.send = (/** @type {string} */ text, /** @type {any[]} */ attached) => this.send(text, attached);
    this.composer.stop = () => this.stop();
    this.addEventListener("stale", () => store.refresh());
    this.addEventListener("answered", () => store.refresh());
    this.id = localStorage.getItem(LAST) ?? "";
    store.on("hello", () => this.attach());
    store.on("session", (told) => told.session === this.id && store.refresh());
    store.on("assistant_delta", (told) => this.arrive(told));
    store.on("action_result", (told) => this.actionEnded(told.instanceId, ""));
    store.on("action_instances", () => store.refresh());
    store.on("error", (told) => told.instanceId && this.actionEnded(told.instanceId, told.message));
    addEventListener("scroll", () => this.scrolled(), { passive: true });
  }

  /** Show a conversation. @param {string} id */
  go(id) {
    this.list.hidePopover();
    const to = id ? `#chat/${id}` : "#chat/new";
    if (location.hash === to) this.refresh();
    else location.hash = to;
    this.composer.text.focus({ preventScroll: true });
  }

  /** Take the conversation from the address. */
  choose() {
    const [view, asked] = location.hash.slice(1).split("/");
    const id = view !== "chat" || !asked ? this.id : asked === "new" ? "" : asked;
    if (id !== this.id || this.composer.session === undefined) this.open(id);
    this.composer.open(id);
  }

  /** @param {string} id */
  open(id) {
    this.id = id;
    this.session = this.live = this.pending = null;
    this.older = [];
    this.stays = true;
    fill(this.messages);
    fill(this.cards);
    this.drawReply();
    if (id) localStorage.setItem(LAST, id);
    else localStorage.removeItem(LAST);
    this.attach();
  }

  attach() {
    store.send({ type: "attach", since: store.sequence, session: this.id });
  }

  async refresh() {
    this.choose();
    const asked = ++this.asked;
    if (!this.id) return this.draw();
    try {
      const session = await api.session(this.id);
      const cards = session.status === "waiting" ? (await api.waiting()).waiting : [];
      if (asked !== this.asked) return;
      this.session = session;
      this.draw(cards);
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
      if (asked !== this.asked) return;
      this.open("");
      history.replaceState(null, "", "#chat/new");
      this.draw();
    }
  }

  /** @param {any[]} [cards] */
  draw(cards = []) {
    const { session } = this;
    const all = [...this.older, ...(session?.messages ?? [])];
    fill(this.heading, session?.title || "Chat");
    const known = new Map([.../** @type {any} */ (this.messages).children].map((one) => [one.dataset.id, one]));
    const shown = all.map((message) => {
      const element = known.get(message.id) ?? make("sayso-message", { "data-id": message.id });
      element.show(message, session, cards, (/** @type {any} */ one) => this.askAgain(one));
      return element;
    });
    this.drawLoose(all, cards);
    this.settle(all);
    if (this.pending) shown.push(this.drawPending(known.get(PENDING)));
    this.place(shown);
    this.more.hidden = (this.older[0]?.before ?? session?.before ?? null) === null || !session;
    this.drawCards(cards);
    this.begin(session?.replying ?? null);
    const replying = session?.status === "replying" || Boolean(this.live);
    this.composer.replying(replying);
    const empty = !shown.length && !replying;
    this.welcome.hidden = !empty;
    if (empty) this.greet();
    const where = session?.model_sends ? "your words are sent to it" : "your words stay on this computer";
    fill(this.foot, session ? `${session.model || "built-in rules"} · ${where}` : "");
    if (this.stays && !empty) this.toEnd();
  }

  /** What is offered by no message that is shown, such as what the result of an action suggests. @param {any[]} all @param {any[]} cards */
  drawLoose(all, cards) {
    const named = new Set(all.flatMap((one) => [...(one.buttons ?? []), ...(one.actions ?? [])]));
    const { session } = this;
    const loose = (/** @type {any[]} */ list, /** @type {(one: any) => string} */ id) => (session?.replying ? [] : list ?? []).filter((one) => !named.has(id(one)));
    this.loose.show(this.id, session?.entry === "chat" ? loose(session.buttons, (one) => one.id) : [], loose(session?.actions, (one) => one.instance.instanceId), cards);
  }

  /** What was sent is read back: it is pending no more. @param {any[]} all */
  settle(all) {
    const { pending } = this;
    if (!pending || pending.failed) return;
    const said = all.filter((one) => one.role === "user" && one.text === pending.text).length;
    if (said > pending.sent.before || this.session?.replying?.message === pending.sent.reply) this.pending = null;
    if (pending.sent.reply && all.some((one) => one.id === pending.sent.reply)) this.pending = null;
  }

  /** @param {Element[]} wanted */
  place(wanted) {
    const list = this.messages;
    for (const one of [...list.children]) if (!wanted.includes(one)) one.remove();
    wanted.forEach((one, place) => {
      if (list.children[place] !== one) list.insertBefore(one, list.children[place] ?? null);
    });
  }

  /** @param {any} [element] */
  drawPending(element) {
    const { text, attachments, failed, sent } = /** @type {any} */ (this.pending);
    const shown = element ?? make("div", { class: "user pending", "data-id": PENDING });
    fill(shown, make("h3", { class: "unseen" }, "You "), make("div", { class: "bubble" }, text),
      attachments.length > 0 && make("ul", { class: "attached" }, ...attachments.map((/** @type {string} */ one) => make("li", {}, one))),
      failed ? make("div", { class: "told danger error" }, make("p", {}, failed),
        make("button", { type: "button", onclick: () => this.deliver(sent) }, "Send again"),
        make("button", { type: "button", class: "plain", onclick: () => this.takeUp() }, "Edit"))
        : make("p", { class: "quiet when" }, "Sending…"));
    return shown;
  }

  /** Cards of what waits as a whole: batches of a list of steps, and the like. @param {any[]} cards */
  drawCards(cards) {
    const place = this.cards;
    const buttons = this.session?.entry === "chat" ? new Set(this.session.buttons.map((/** @type {any} */ one) => one.run)) : new Set();
    const own = new Set((this.session?.actions ?? []).map((/** @type {any} */ one) => one.run));
    const wanted = cards.filter((card) => card.session === this.id && !buttons.has(card.run) && !own.has(card.run));
    const known = new Map([...place.children].map((/** @type {any} */ one) => [one.card.run, one]));
    for (const one of /** @type {any[]} */ ([...place.children])) if (!wanted.some((card) => card.run === one.card.run) && !one.busy) one.remove();
    for (const card of wanted) {
      const old = known.get(card.run);
      if (old && !old.ended && old.card.digest === card.digest) old.card = card;
      else if (!old?.busy) {
        const fresh = /** @type {any} */ (document.createElement("sayso-card"));
        if (old) old.replaceWith(fresh);
        else place.append(fresh);
        fresh.show(card);
        if (old?.deliberate.seenStart && !old.ended) fresh.tell("This has changed since you saw it. Look at it again.", true);
      }
    }
  }

  /** Begin to show a reply, or go on with the one that is shown, or end it. @param {any} replying */
  begin(replying) {
    if (!replying) {
      if (this.live) announce("The reply is complete.");
      this.live = null;
      this.drawReply();
    } else if (!this.live || this.live.message !== replying.message || replying.text.length > this.live.text.length) {
      this.arrive({ session: this.id, message: replying.message, from: 0, text: replying.text, block: 0, blocks: replying.blocks, progress: replying.progress });
    }
  }

  /** Show a piece of a reply. Blocks that are complete stay the elements that they are, so that nothing flickers. @param {any} told */
  arrive(told) {
    if (told.session !== this.id) return;
    let { live } = this;
    if (!live || live.message !== told.message) {
      if (told.from > 0 || told.block > 0) return this.attach();
      live = this.live = { message: told.message, text: "", blocks: [] };
    }
    if (told.from > live.text.length || told.block > live.blocks.length) return this.attach();
    live.text = live.text.slice(0, told.from) + told.text;
    for (const gone of live.blocks.splice(told.block + told.blocks.length)) gone.remove();
    told.blocks.forEach((/** @type {string} */ html, /** @type {number} */ place) => {
      const at = told.block + place;
      const block = (live.blocks[at] ??= make("div", { class: "block" }));
      if (block.dataset.html !== html) prose(block, html);
      block.dataset.html = html;
    });
    this.progress = told.progress;
    this.drawReply();
    this.composer.replying(true);
    if (this.stays) this.toEnd();
    else this.below.hidden = false;
  }

  drawReply() {
    this.reply.hidden = !this.live;
    if (!this.live) return fill(this.reply);
    if (!this.bubble.isConnected) fill(this.reply, make("h3", { class: "unseen" }, "sayso "), this.bubble, this.line);
    const { bubble, live } = this;
    live.blocks.forEach((one, place) => {
      if (bubble.children[place] !== one) bubble.insertBefore(one, bubble.children[place] ?? null);
    });
    while (bubble.children.length > live.blocks.length) bubble.lastElementChild?.remove();
    bubble.hidden = !live.blocks.length;
    fill(this.line, this.progress || (live.blocks.length ? "" : "Thinking…"));
  }

  /** @param {string} text @param {{name: string, text: string}[]} attached */
  async send(text, attached) {
    const sent = { id: crypto.randomUUID(), text, attachments: attached, before: 0, reply: "" };
    sent.before = (this.session?.messages ?? []).filter((/** @type {any} */ one) => one.role === "user" && one.text === text).length;
    this.pending = { text, attachments: attached.map((one) => one.name), failed: "", sent };
    this.stays = true;
    this.draw();
    return this.deliver(sent);
  }

  /** Send a message; the same one twice is done once, since it keeps its id. @param {any} sent */
  async deliver(sent) {
    if (this.pending) this.pending.failed = "";
    try {
      if (!this.id) {
        const { id } = await api.begin(this.entry);
        const kept = this.pending;
        this.open(id);
        this.pending = kept;
        this.composer.rename(id);
        history.replaceState(null, "", `#chat/${id}`);
      }
      const { message } = await api.talk(this.id, "messages", { id: sent.id, text: sent.text, attachments: sent.attachments });
      sent.reply = message;
      store.refresh();
      return true;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 0 && this.pending) {
        this.pending.failed = "The server does not answer, so it is not known whether this arrived. Sending it again does nothing twice.";
      } else {
        this.pending = null;
        this.composer.tell(problem.message);
      }
      this.draw();
      return problem.status === 0;
    }
  }

  /** Put what could not be sent back into the field. */
  takeUp() {
    if (!this.pending) return;
    const { text, sent } = this.pending;
    this.pending = null;
    this.composer.write(text);
    for (const one of sent.attachments) this.composer.attach(one.name, one.text);
    this.draw();
  }

  /** @param {any} message a reply that broke off */
  askAgain(message) {
    const all = [...this.older, ...(this.session?.messages ?? [])];
    const place = all.findIndex((one) => one.id === message.id);
    const said = all.slice(0, place).toReversed().find((one) => one.role === "user");
    if (said) this.send(said.text, []);
  }

  async stop() {
    if (!this.id) return;
    try {
      await api.talk(this.id, "stop");
      announce("Stopped.");
    } catch (problem) {
      this.composer.tell(whyNot(problem));
    }
    store.refresh();
  }

  /** @param {string} id @param {string} why */
  actionEnded(id, why) {
    for (const one of this.querySelectorAll("sayso-offers")) /** @type {any} */ (one).ended(id, why);
    store.refresh();
  }

  async readOlder() {
    const before = this.older[0]?.before ?? this.session.before;
    const { messages, before: next } = await api.session(this.id, { before: String(before) });
    const height = document.documentElement.scrollHeight;
    if (messages.length) messages[0] = { ...messages[0], before: next };
    this.older = [...messages, ...this.older];
    this.draw();
    scrollBy(0, document.documentElement.scrollHeight - height);
  }

  async listAll() {
    const place = this.list;
    try {
      const { sessions } = await api.sessions();
      fill(place, make("button", { type: "button", onclick: () => this.go("") }, "New conversation"),
        sessions.length > 0 && make("ul", {}, ...sessions.map((/** @type {any} */ one) => this.entryOf(one))),
        !sessions.length && make("p", { class: "empty" }, "No conversation yet. It begins with your first message."));
    } catch (problem) {
      fill(place, whyNot(problem));
    }
  }

  /** @param {any} one */
  entryOf(one) {
    const waits = one.waiting > 0 && `${one.waiting} to decide`;
    const state = one.status === "replying" ? "replying" : waits;
    const remove = make("button", { type: "button", class: "plain", "aria-label": `Delete the conversation “${one.title}”`, title: "Delete; what was done stays in the history" }, "✕");
    remove.addEventListener("click", async (event) => {
      if (!event.isTrusted) return;
      if (!remove.classList.contains("sure")) {
        remove.classList.add("sure");
        fill(remove, "Delete?");
        return;
      }
      await api.talk(one.id, "delete");
      if (one.id === this.id) this.go("");
      this.listAll();
    });
    return make("li", { class: one.id === this.id ? "now" : "" },
      make("a", { href: `#chat/${one.id}`, "aria-current": one.id === this.id ? "true" : null, onclick: () => this.list.hidePopover() },
        make("span", {}, one.title || "Without words"), make("span", { class: "quiet" }, time(one.last), state && ` · ${state}`)), remove);
  }

  /** What somebody sees who has said nothing yet: wishes that work on this computer. */
  async greet() {
    const place = this.welcome;
    if (this.greets || place.querySelector(".wishes")) return;
    this.greets = true;
    if (!place.firstChild) fill(place, make("h2", {}, "Say what you want done"));
    const found = await api.wishes().catch(/** @returns {any} */ () => null);
    this.greets = false;
    if (!found) {  // asked again when the view is read again
      return fill(place, make("h2", {}, "Say what you want done"),
        make("p", { class: "note bad" }, "What works here could not be read. You can say what you want all the same."));
    }
    const { wishes, note } = found;
    fill(place, make("h2", {}, "Say what you want done"),
      make("p", { class: "quiet" }, "sayso shows what it would do, in its own words. What your settings ask about is done only after your yes. Most of it can be taken back."),
      wishes.length > 0 && make("p", {}, "These work here:"),
      make("ul", { class: "wishes" }, ...wishes.map((/** @type {any} */ one) => make("li", {},
        make("button", { type: "button", onclick: () => this.composer.write(one.text) }, one.text), make("span", { class: "quiet" }, one.does)))),
      note && make("p", { class: "quiet" }, note),
      make("label", { class: "kind quiet" }, "How it works: ", make("select", { onchange: (/** @type {any} */ event) => { this.entry = event.target.value; } },
        ...KINDS.map(([value, label]) => make("option", { value }, label)))));
  }

  /** The page was opened with this view: who had begun to write goes on where they were. */
  began() {
    this.choose();
    if (this.composer.text.value && document.activeElement === document.body) this.composer.text.focus({ preventScroll: true });
  }

  scrolled() {
    if (this.hidden) return;
    const left = document.documentElement.scrollHeight - innerHeight - scrollY;
    this.stays = left < NEAR;
    if (this.stays) this.below.hidden = true;
  }

  /** Show the end, but not more than leaves the beginning of the last message in view: it has to be read first. */
  toEnd() {
    if (this.hidden) return;
    const last = this.live ? this.reply : (this.cards.lastElementChild ?? this.messages.lastElementChild);
    const top = last ? last.getBoundingClientRect().top + scrollY - above() : Infinity;
    scrollTo({ top: Math.min(document.documentElement.scrollHeight, Math.max(top, 0)), behavior: "instant" });
    this.stays = true;
    this.below.hidden = true;
  }

  /** @param {string} key */
  pressed(key) {
    if (key !== "escape") return false;
    if (this.composer.busy) this.stop();
    else if (document.activeElement !== this.composer.text) return false;
    else return this.toNewest();
    return true;
  }

  /** Go from the message to the newest of what can be answered, where single keys count. */
  toNewest() {
    const found = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("[data-item], sayso-card")]).filter((one) => one.checkVisibility()).at(-1);
    if (!found) return false;
    if (!found.hasAttribute("tabindex")) found.tabIndex = -1;
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: "nearest" });
    return true;
  }
}

customElements.define("sayso-chat", Chat);
