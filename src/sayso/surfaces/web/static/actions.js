// The person's own actions: each with a form made of its parameters, what it would do, running it, and its log.

import { api, whyNot } from "./api.js";
import { Fields } from "./form.js";
import { announce, fill, icon, lasting, listed, make, outcome, results, table, time } from "./parts.js";
import { keep } from "./rows.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

const SAYS = /** @type {Record<string, string>} */ ({ done: "says", planned: "would say", waiting: "says of what still waits", unknown: "says of what nobody knows to be done", "not done": "says of what was not done" });

class Action extends HTMLElement {
  fields = new Fields({}, {});
  head = make("div", { class: "line" });
  about = make("p", {});
  note = make("div", { class: "note", role: "status" });
  outcome = make("div", { class: "outcome" });
  logged = make("div", { class: "inside" });
  log = make("details", { ontoggle: () => this.readLog() }, make("summary", {}, "Log"), this.logged);

  /** @param {any} action */
  show(action) {
    const same = this.action && JSON.stringify([this.action.parameterSchema, this.action.secret]) === JSON.stringify([action.parameterSchema, action.secret]);
    const changed = this.action && this.action.file === action.file && !same;
    this.action = action;
    this.toggleAttribute("data-item", true);
    const { last } = action;
    fill(this.head, make("div", { class: "what" },
      make("h2", {}, action.icon && `${action.icon} `, action.name),
      make("p", { class: "quiet" }, action.id, last && " · last run ", last && time(last.timestamp), last && (last.result.success ? "" : ", which failed"))),
      action.destructive && make("span", { class: "tag danger" }, "takes something away"));
    fill(this.about, action.description);
    if (!same) this.form = this.makeForm();
    if (!this.firstChild || !same) {
      const open = this.querySelector("details")?.open ?? false;
      fill(this, make("article", {}, this.head, this.about, make("details", { open }, make("summary", {}, "Preview or run it"), this.form, this.note, this.outcome), this.log));
    }
    if (changed) fill(this.note, "Its file has changed; what it takes is new.");
    this.readLog();
  }

  makeForm() {
    const { parameterSchema: schema, secret } = this.action;
    const given = Object.fromEntries(Object.entries(schema.properties).map(([name, /** @type {any} */ how]) => [name, how.default]));
    this.fields = new Fields(schema, given, secret);
    return make("form", { class: "fields", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.start("preview"); } },
      ...this.fields.elements,
      make("div", { class: "answers" }, make("button", {}, "Preview"),
        make("button", { type: "button", class: "primary", onclick: (/** @type {Event} */ event) => event.isTrusted && this.start("run") }, "Run…")));
  }

  /** @param {"preview"|"run"} how */
  async start(how) {
    if (this.busy) return;
    const wrong = this.fields.problem();
    if (wrong) return this.tell(wrong, true);
    this.busy = true;
    const buttons = /** @type {HTMLButtonElement[]} */ ([...this.querySelectorAll("form button")]);
    for (const one of buttons) one.setAttribute("aria-disabled", "true");
    this.tell(how === "run" ? "Its handler runs. If it has to ask you something, that stands under Waiting…" : "Trying what it would do…");
    try {
      await this.told(how, await api.actionDo(this.action.id, how, this.fields.values()));
    } catch (problem) {
      this.tell(whyNot(problem), true);
      fill(this.outcome);
    } finally {
      this.busy = false;
      for (const one of buttons) one.removeAttribute("aria-disabled");
      store.refresh();
    }
  }

  /** @param {"preview"|"run"} how @param {any} done */
  async told(how, done) {
    const waits = done.results.some((/** @type {any} */ one) => one.state === "waiting");
    const said = done.log.map((/** @type {any} */ one) => make("li", {}, `It ${SAYS[one.became]} (${one.level}): ${one.text}`));
    const lines = said.length > 0 && make("ul", { class: "said" }, ...said);
    if (waits) {
      const { waiting } = await api.waiting();
      const found = waiting.find((/** @type {any} */ one) => one.run === done.run);
      const card = found && /** @type {any} */ (document.createElement("sayso-card"));
      card?.show(found);
      this.tell("It asks you first. This is all that it would do:");
      fill(this.outcome, card ?? make("p", {}, make("a", { href: "#waiting" }, "Look at what waits")), lines);
      announce("This action asks you first.");
      return;
    }
    const { success, message } = done.result;
    this.tell(how === "run" ? message : success ? `It would say: ${message}` : message, !success);
    fill(this.outcome, how === "run" ? done.results.length > 0 && results(done) : this.planned(done), lines);
    if (how === "run") offerUndo(done);
    announce(message);
  }

  /** @param {any} done */
  planned(done) {
    if (!done.results.length) return make("p", { class: "quiet" }, "It would change nothing.");
    return make("div", { class: "told plain" }, make("p", { class: "title" }, done.results.length === 1 ? "It would do this" : `It would do these ${done.results.length} things`),
      make("ol", {}, ...done.results.map((/** @type {any} */ one) => make("li", { class: one.success ? "" : "bad" }, one.success ? one.plan?.summary ?? outcome(one) : one.error,
        listed("Is lost", one.plan?.loses, "danger"), listed("Is sent", one.plan?.sends, "danger"), listed("Mind", one.plan?.warns, "warn")))),
      make("p", { class: "quiet" }, "Nothing was done."));
  }

  async readLog() {
    if (!this.log.open) return;
    try {
      const { rows } = await api.actionLog(this.action.id);
      fill(this.logged, rows.length
        ? make("ol", { class: "log" }, ...rows.map((/** @type {any} */ one) => make("li", {},
          make("p", {}, make("span", { class: one.result.success ? "state done" : "state failed" }, one.result.success ? "done" : "failed"), time(one.timestamp), ` · ${lasting1(one.duration)} · ${one.result.message}`),
          Object.keys(one.params).length > 0 && table(one.params),
          ...one.lines.filter((/** @type {any} */ line) => !line.text.startsWith("Executing action: ") && line.text !== one.error).map((/** @type {any} */ line) => make("p", { class: "quiet" }, `${line.level}: ${line.text}`)))))
        : make("p", { class: "quiet" }, "It has not been run."));
    } catch (problem) {
      fill(this.logged, whyNot(problem));
    }
  }

  /** @param {string} text @param {boolean} [bad] */
  tell(text, bad = false) {
    this.note.classList.toggle("bad", bad);
    fill(this.note, text);
  }
}

/** @param {number} milliseconds */
const lasting1 = (milliseconds) => (milliseconds < 1000 ? `${milliseconds} ms` : lasting(milliseconds));

class Actions extends HTMLElement {
  list = make("div", { class: "cards" });
  broken = make("div", {});
  empty = make("div", { class: "empty", hidden: true });

  connectedCallback() {
    fill(this, make("h1", {}, "My actions"), this.broken, this.empty, this.list);
    store.on("action_templates", () => !this.hidden && store.refresh());
  }

  async refresh() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const { actions, broken, folder } = await api.actions();
    if (asked !== this.asked) return;
    keep(this.list, actions, (one) => one.id, () => document.createElement("sayso-action"));
    fill(this.broken, listed(broken.length === 1 ? "One file cannot be used" : "These files cannot be used", broken.map((/** @type {string} */ one) => one.replaceAll("\n", "⟨U+000A⟩")), "danger"));
    this.empty.hidden = actions.length > 0;
    if (!actions.length) {
      fill(this.empty, make("p", {}, "An action of your own is a small Python file that asks for several things at once, under one name, with your own parameters. It can only ask; all that it wants done is shown to you first."),
        make("p", {}, "Write the first one in the terminal, and it appears here by itself: ", make("code", {}, "sayso template new tidy-downloads")),
        make("p", { class: "quiet" }, icon("M3 7h6l2 2h10v10H3z"), ` ${folder}`));
    }
  }
}

customElements.define("sayso-action", Action);
customElements.define("sayso-actions", Actions);
