// What sayso does by itself: whether it may, when it asks, which operations may run, the triggers, and what they did.

import { api, whyNot } from "./api.js";
import { announce, fill, icon, make, outcome, state, table, time } from "./parts.js";
import { DRAW, confirmed, keep, often, tool } from "./rows.js";
import { store } from "./store.js";
import { offerUndo } from "./undobar.js";

const WAND = "M4 20L14 10M15 4v3M13.5 5.5h3M19 9v2M18 10h2M9 4v2M8 5h2M13 9l2 2";
const MODES = [["always", "Always", "asks before everything that changes something"], ["destructive", "Destructive", "asks before anything is moved, deleted or replaced"], ["never", "Never", "asks only about what needs you in every mode; dangerous"]];

const BUSY = "One run goes on; start another one when it has ended.";

class Trigger extends HTMLElement {
  note = make("div", { class: "note", role: "status" });
  trace = make("div", {});

  /** @param {any} one */
  show(one) {
    this.one = one;
    const name = one.name;
    fill(this, make("article", {},
      make("div", { class: "line" },
        make("div", { class: "what" },
          make("h3", {}, one.says),
          make("p", { class: "quiet" }, `${name} · ${one.when ? often(one.when) : "when you start it"}`, one.next && one.enabled && " · next ", one.next && one.enabled && time(one.next), !one.enabled && " · paused"),
          one.fired && make("p", { class: "quiet" }, "last ", time(one.fired), `: ${one.said ?? "it has not ended"}`),
          one.wrong && make("p", { class: "bad" }, one.wrong)),
        make("button", { type: "button", class: "wand", onclick: (/** @type {Event} */ event) => event.isTrusted && this.view().automate({ trigger: name }, this.note, this.trace) }, icon(WAND), "Automate"),
        make("button", { type: "button", class: "plain", "aria-label": `${one.enabled ? "Pause" : "Go on with"} “${name}”`, onclick: () => this.act((nonce) => api.trigger(name, "switch", { on: !one.enabled, nonce })) }, one.enabled ? "Pause" : "Go on"),
        tool(DRAW.drop, `Delete “${name}”`, () => this.drop(name))),
      (one.words || one.lines) && make("details", {}, make("summary", {}, "What it does"), make("pre", { tabindex: 0, "aria-label": "What it does" }, one.words ? `asks your model: ${one.words}` : one.lines)),
      this.note, this.trace));
  }

  /** @param {(nonce: string) => Promise<any>} send */
  act(send) {
    return confirmed(this.note, send);
  }

  /** Delete it; what was said of it where it was added is true no more. @param {string} name */
  async drop(name) {
    const view = this.view();
    const gone = await confirmed(this.note, (nonce) => api.trigger(name, "delete", { nonce }), () => "", "Yes, delete it");
    if (!gone) return;
    fill(view.noteNew, `“${name}” is deleted.`);
    announce(`“${name}” is deleted.`);
  }

  view() {
    return /** @type {Automation} */ (document.querySelector("sayso-automation"));
  }
}

class Done extends HTMLElement {
  trace = make("div", {});

  /** @param {any} row */
  show(row) {
    fill(this, make("div", { class: "line" },
      state(row),
      make("div", { class: "what" }, make("p", { class: "text" }, row.title), make("p", { class: "quiet" }, time(row.time), !row.success && row.error ? ` · ${row.error}` : "")),
      make("button", { type: "button", class: "plain", onclick: () => showTrace(this.trace, row.run, []) }, "Trace")), this.trace);
  }
}

/** Show what a model was told and said, in six parts. @param {Element} place @param {string|undefined} run @param {any[]} results */
async function showTrace(place, run, results) {
  const answer = run ? await api.trace(run) : {};
  const found = answer.trace ? answer : null;
  const none = "No model was asked: the trigger's own lines were run.";
  const trace = found?.trace ?? {};
  const text = (/** @type {unknown} */ value) => make("pre", { tabindex: 0, "aria-label": "Text" }, String(value || (found ? "(empty)" : none)));
  const commands = trace.commands ?? results;
  const done = trace.results ?? results;
  const rows = (/** @type {any[]} */ all, /** @type {(one: any) => any} */ says, /** @type {string} */ empty) =>
    all.length ? make("ol", {}, ...all.map((one) => make("li", {}, says(one)))) : make("p", { class: "quiet" }, empty);
  const parts = [
    ["Context", found ? text(JSON.stringify(trace.context, null, 2)) : text("")],
    ["System Prompt", text(trace.system_prompt)],
    ["User Prompt", text(trace.user_prompt)],
    ["LLM Response", text(trace.response || trace.error)],
    ["Parsed Commands", rows(commands, (one) => make("span", {}, `${one.operation ?? "not understood"} `, table(one.arguments ?? {}), one.problem && make("span", { class: "bad" }, one.problem)), "The reply had no commands.")],
    ["Execution Results", rows(done, (one) => make("span", {}, state(one), " ", outcome(one)), "Nothing was done.")],
  ];
  fill(place, make("section", { class: "trace", "aria-label": "Trace" },
    ...parts.map(([title, inside], at) => make("details", { open: at > 2 }, make("summary", {}, `${at + 1}. ${title}`), inside)),
    make("button", { type: "button", class: "plain", onclick: () => fill(place) }, "Close the trace")));
}

class Automation extends HTMLElement {
  note = make("div", { class: "note", role: "status" });
  noteNew = make("div", { class: "note", role: "status" });
  noteNow = make("div", { class: "note", role: "status" });
  trace = make("div", {});
  on = make("input", { type: "checkbox", role: "switch", onchange: () => this.set("automation.enabled", this.on.checked) });
  modes = make("fieldset", { class: "modes" }, make("legend", {}, "When sayso asks"), ...MODES.map(([value, label, says]) =>
    make("label", {}, make("input", { type: "radio", name: "mode", value, onchange: () => this.set("policy.mode", value) }), make("span", {}, make("strong", {}, label), make("span", { class: "quiet" }, ` ${says}`)))));
  always = make("p", { class: "quiet" });
  hosted = make("p", { class: "quiet" });
  triggers = make("div", { class: "cards" });
  empty = make("p", { class: "empty", hidden: true }, "No triggers yet. Write below when and what, such as “every weekday at 8:30 tell me what is on today”.");
  words = make("input", { type: "text", "aria-label": "A new trigger: when and what", placeholder: "every weekday at 8:30 tell me what is on today", autocomplete: "off" });
  wish = make("input", { type: "text", "aria-label": "Do this now", placeholder: "show a notification that says hello", autocomplete: "off" });
  recent = make("div", { class: "recent" });
  noRecent = make("p", { class: "quiet", hidden: true }, "Nothing was done by itself yet.");
  allow = new Allowlist();

  connectedCallback() {
    fill(this, make("h1", {}, "Automation"),
      make("label", { class: "switch" }, this.on, make("span", {}, make("strong", {}, "Automation"), make("span", { class: "quiet" }, " lets triggers start runs by themselves"))),
      this.modes, make("details", {}, make("summary", {}, "What asks in every mode"), this.always), this.note,
      make("h2", { class: "part" }, "Triggers"), this.hosted, this.empty, this.triggers,
      make("form", { class: "new", onsubmit: (/** @type {Event} */ event) => this.add(event) }, this.words, make("button", {}, "Add…")), this.noteNew,
      make("h2", { class: "part" }, "Do something now"),
      make("form", { class: "new", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); this.automate({ words: this.wish.value }, this.noteNow, this.trace); } }, this.wish, make("button", { class: "wand" }, icon(WAND), "Automate")), this.noteNow, this.trace,
      make("h2", { class: "part" }, "Done by itself lately"), this.noRecent, this.recent,
      make("h2", { class: "part" }, "What may run"), this.allow.element);
  }

  busy = false;
  /** How many changes the server has not answered yet. */
  sending = 0;
  asked = 0;

  async refresh() {
    const asked = (this.asked += 1);
    const [now, settings] = await Promise.all([api.automation(), api.settings()]);
    if (asked !== this.asked || this.sending) return;
    this.on.checked = now.automation;
    for (const one of /** @type {NodeListOf<HTMLInputElement>} */ (this.querySelectorAll("input[name=mode]"))) one.checked = one.value === now.mode;
    fill(this.hosted, now.paused ? "All is paused; nothing starts." : !now.automation ? "Automation is off: triggers start nothing." : now.hosted ? "Something looks after your triggers now." : now.triggers.length > 0 && "Nothing looks after your triggers now; in the terminal, “sayso service install” does from then on.");
    this.hosted.className = !now.hosted && now.triggers.length > 0 ? "told warn" : "quiet";
    const always = settings.operations.filter((/** @type {any} */ one) => one.always_asks).map((/** @type {any} */ one) => one.id);
    fill(this.always, `If a model proposes it, sayso always asks before: ${always.join(", ")}. What you do yourself, here or in the terminal, is not asked about twice.`);
    keep(this.triggers, now.triggers, (one) => one.name, () => document.createElement("sayso-trigger"));
    if (this.busy) this.brake();  // the buttons may be new ones
    keep(this.recent, now.recent, (one) => one.id, () => document.createElement("sayso-done"));
    this.empty.hidden = now.triggers.length > 0;
    this.noRecent.hidden = now.recent.length > 0;
    this.allow.show(settings);
  }

  /** @param {string} name @param {unknown} value */
  set(name, value) {
    return confirmed(this.note, (nonce) => this.send(() => api.set(name, value, nonce)), () => "Changed.");
  }

  /** Send a change; what was read before the answer is not shown, or the switch would jump back. @param {() => Promise<any>} change */
  async send(change) {
    this.sending += 1;
    try {
      return await change();
    } finally {
      this.sending -= 1;
      this.asked += 1;
    }
  }

  /** @param {Event} event */
  async add(event) {
    event.preventDefault();
    const words = this.words.value;
    if (!words.trim()) return this.words.focus();
    const added = await confirmed(this.noteNew, (nonce) => api.addTrigger(words, "", nonce), ({ name }) => `“${name}” is written.`, "Yes, add it");
    if (added) this.words.value = "";
  }

  /** Start a run now, and show its trace. @param {any} what @param {Element} note @param {Element} place */
  async automate(what, note, place) {
    if (this.busy) return announce(BUSY);
    this.busy = true;
    this.brake();
    note.classList.remove("bad");
    fill(note, "It runs…");
    fill(place);
    try {
      const done = await api.automate(what);
      const waits = done.results.filter((/** @type {any} */ one) => one.state === "waiting").length;
      const said = waits ? `${waits === 1 ? "One action waits" : `${waits} actions wait`} for your yes. ` : `${done.said || (done.results.length ? "It has ended." : "Nothing was to be done.")} `;
      fill(note, make("p", {}, said, waits > 0 && make("a", { href: "#waiting" }, "Look at what waits")));
      announce(said);
      offerUndo(done);
      await showTrace(place, done.runs[0], done.results);
    } catch (problem) {
      fill(note, whyNot(problem));
      note.classList.add("bad");
    } finally {
      this.busy = false;
      this.brake();
      store.refresh();
    }
  }

  /** While one run goes on, no button starts another, and each says so. */
  brake() {
    for (const one of this.querySelectorAll("button.wand")) {
      one.setAttribute("aria-disabled", String(this.busy));
      fill(one, icon(WAND), this.busy ? "One runs…" : "Automate");
      if (this.busy) one.setAttribute("title", BUSY);
      else one.removeAttribute("title");
    }
  }
}

/** Which operations may run: ticked one by one, or by patterns that the person wrote. */
class Allowlist {
  constructor() {
    this.note = make("div", { class: "note", role: "status" });
    /** @type {any[]} */ this.operations = [];
    this.said = make("p", { class: "quiet" });
    this.find = make("input", { type: "search", "aria-label": "Find an operation", placeholder: "Find an operation", oninput: () => this.draw() });
    this.list = make("div", { class: "allow" });
    this.save = make("button", { type: "button", class: "primary", hidden: true, onclick: () => this.send() }, "Save");
    this.element = make("div", {}, this.said, this.find, this.list, this.save, this.note);
    /** @type {Map<string, boolean>} */ this.changed = new Map();
  }

  /** @param {any} settings */
  show(settings) {
    this.operations = settings.operations;
    this.patterns = settings.settings.find((/** @type {any} */ one) => one.name === "policy.allowed_operations").value ?? ["*"];
    this.draw();
  }

  draw() {
    const words = this.find.value.toLowerCase();
    const shown = this.operations.filter(({ id }) => id.toLowerCase().includes(words));
    const refused = this.operations.filter(({ allowed }) => !allowed).length;
    fill(this.said, refused ? `${this.operations.length - refused} of ${this.operations.length} operations may run; all others are refused, and no model is told of them.` : `All ${this.operations.length} operations may run. Untick those that may not; they are refused then, and no model is told of them.`);
    const rows = shown.map(({ id, allowed }) => ({ id, on: this.changed.get(id) ?? allowed }));
    const group = new Map();
    for (const row of rows) group.set(row.id.split(".")[0], [...(group.get(row.id.split(".")[0]) ?? []), row]);
    keep(this.list, [...group.entries()].map(([name, all]) => ({ name, all, open: words !== "" })), (one) => one.name, () => new Group((id, on) => this.tick(id, on)));
  }

  /** @param {string} id @param {boolean} on */
  tick(id, on) {
    if (this.operations.find((one) => one.id === id)?.allowed === on) this.changed.delete(id);
    else this.changed.set(id, on);
    this.save.hidden = !this.changed.size;
    fill(this.save, `Save ${this.changed.size === 1 ? "this change" : `these ${this.changed.size} changes`}`);
    this.draw();
  }

  async send() {
    const ids = this.operations.filter(({ id, allowed }) => this.changed.get(id) ?? allowed).map(({ id }) => id);
    const all = ids.length === this.operations.length;
    if (await confirmed(this.note, (nonce) => api.set("policy.allowed_operations", all ? ["*"] : ids, nonce), () => "Saved.")) {
      this.changed.clear();
      this.save.hidden = true;
    }
  }
}

class Group extends HTMLElement {
  /** @param {(id: string, on: boolean) => void} [tick] */
  constructor(tick) {
    super();
    this.tick = tick;
    this.inside = make("div", { class: "ids" });
    this.label = make("summary", {});
    this.details = make("details", {}, this.label, this.inside);
  }

  /** @param {any} group */
  show({ name, all, open }) {
    if (!this.firstChild) this.append(this.details);
    if (open) this.details.open = true;
    fill(this.label, `${name} `, make("span", { class: "quiet" }, `${all.filter((/** @type {any} */ one) => one.on).length} of ${all.length}`));
    fill(this.inside, ...all.map((/** @type {any} */ one) => {
      const box = make("input", { type: "checkbox", "data-id": one.id, onchange: () => this.tick?.(one.id, box.checked) });
      box.checked = one.on;
      return make("label", { class: "tick" }, box, one.id);
    }));
  }
}

store.on("settings", () => store.refresh());
customElements.define("sayso-group", Group);
customElements.define("sayso-trigger", Trigger);
customElements.define("sayso-done", Done);
customElements.define("sayso-automation", Automation);
