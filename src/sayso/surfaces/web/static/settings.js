// The settings, what stands for good, and the checks of what works here. What only the terminal changes is said to be so.

import { api, whyNot } from "./api.js";
import { fill, listed, make, table, time } from "./parts.js";
import { attempt, confirmed, keep } from "./rows.js";
import { store } from "./store.js";

const HOW = /** @type {Record<string, string>} */ ({ good: "works", note: "note", broken: "broken" });

/** @param {unknown} value */
function shown(value) {
  if (value == null) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  return Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ") || "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Return a sentence with the time at which it ends as people read it. @param {string} says */
function ending(says) {
  const [, before, iso, after] = says.match(/^(.*, until )([-\d]+T[\d:.]+Z)(.*)$/s) ?? [];
  return iso ? [before, time(iso), after] : [says];
}

class Setting extends HTMLElement {
  note = make("div", { class: "note", role: "status" });

  /** @param {any} one */
  show(one) {
    this.one = one;
    const list = Array.isArray(one.value) || one.name.endsWith("roots") || one.name.endsWith("_apps");
    const value = one.value;
    /** @type {HTMLElement|false} */ let control = false;
    if (one.here && typeof value === "boolean") {
      const box = make("input", { type: "checkbox", role: "switch", "aria-label": one.name, onchange: () => this.set(box.checked) });
      box.checked = value;
      control = box;
    } else if (one.here && !["policy.mode", "policy.allowed_operations"].includes(one.name)) {
      const text = list ? (value ?? []).join("\n") : value ?? "";
      const field = /** @type {HTMLInputElement} */ (make(list ? "textarea" : "input", { "aria-label": one.name, rows: list && Math.min(6, (value ?? []).length + 1), spellcheck: "false", autocomplete: "off" }));
      field.value = text;
      control = make("form", { class: "change", onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        this.set(list ? field.value.split("\n").map((line) => line.trim()).filter(Boolean) : field.value.trim());
      } }, field, make("button", {}, "Set"));
    }
    fill(this, make("div", { class: "line" }, make("div", { class: "what" },
      make("p", {}, make("code", {}, one.name), one.administered && make("span", { class: "tag" }, "an administrator restricts it")),
      make("p", { class: "quiet" }, one.says)), control && control.matches("input") && control),
      control && !control.matches("input") && control,
      !control && make("p", { class: "value" }, shown(value), !one.here && make("code", {}, `sayso config set ${one.name} …`)),
      ["policy.mode", "policy.allowed_operations"].includes(one.name) && make("p", { class: "quiet" }, "It is changed under ", make("a", { href: "#automation" }, "Automation"), "."),
      this.note);
  }

  /** @param {unknown} value */
  async set(value) {
    const done = await confirmed(this.note, (nonce) => api.set(this.one.name, value, nonce), ({ before }) => `Changed; it was ${shown(before)}.`);
    if (!done) this.show(this.one);
  }
}

class Grant extends HTMLElement {
  note = make("div", { class: "note", role: "status" });

  /** @param {any} one */
  show(one) {
    fill(this, make("article", {},
      make("div", { class: "line" }, make("div", { class: "what" }, make("p", { class: "text" }, ...ending(one.says)),
        make("p", { class: "quiet" }, `used ${one.uses === 1 ? "once" : `${one.uses} times`}`, one.last_used && ", last ", one.last_used && time(one.last_used), " · given by ", one.given_by ?? "nobody known")),
        make("button", { type: "button", onclick: (/** @type {Event} */ event) => event.isTrusted && attempt(this.note, () => api.revoke(one.id), () => "Taken back; from now on this asks again.") }, "Take it back")),
      make("details", {}, make("summary", {}, "What it has allowed"),
        one.allowed.length ? make("ul", { class: "said" }, ...one.allowed.map((/** @type {any} */ row) => make("li", {}, time(row.time), ` · ${row.text}`))) : make("p", { class: "quiet" }, "Nothing yet.")),
      this.note));
  }
}

class Settings extends HTMLElement {
  note = make("div", { class: "note", role: "status" });
  pause = make("button", { type: "button", onclick: () => this.switch() }, "Pause everything");
  grants = make("div", { class: "cards" });
  noGrants = make("p", { class: "quiet", hidden: true }, "There are none. A card offers one where the same is asked often (“Always allow…”).");
  exposed = make("div", {});
  servers = make("div", {});
  notes = make("div", {});
  noteNotes = make("div", { class: "note", role: "status" });
  doctor = make("div", {});
  check = make("button", { type: "button", onclick: () => this.examine() }, "Check now");
  find = make("input", { type: "search", "aria-label": "Find a setting", placeholder: "Find a setting", oninput: () => this.filter() });
  file = make("p", { class: "quiet" });
  here = make("div", { class: "settings" });
  elsewhere = make("div", { class: "settings" });

  connectedCallback() {
    const part = (/** @type {string} */ title, /** @type {string} */ says, /** @type {Node[]} */ ...inside) =>
      make("section", {}, make("h2", { class: "part" }, title), says && make("p", { class: "quiet" }, says), ...inside);
    fill(this, make("h1", {}, "Settings"),
      make("section", { class: "line brake" }, make("div", { class: "what" }, make("strong", {}, "The brake"), make("p", { class: "quiet" }, "While all is paused, nothing is done, whatever is proposed or approved.")), this.pause), this.note,
      part("What works here", "", this.check, this.doctor),
      part("Standing permissions", "What is done without a question until the time that is named, because you said so.", this.noGrants, this.grants),
      part("Who has read strangers’ words", "Whoever did is asked before it sends anything, until the time that is named.", this.exposed),
      part("Wrapped MCP servers", "Their tools need your yes like everything else. They are added and removed in the terminal: sayso mcp wrap.", this.servers),
      part("What models are told of you", "Facts that you and other programs left for models (sayso context set, POST /api/context).", this.noteNotes, this.notes),
      part("All settings", "", this.file, this.find, this.here, make("details", { class: "terminal" }, make("summary", {}, "What is set in the terminal only"), this.elsewhere)));
  }

  async refresh() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const [now, standing] = await Promise.all([api.settings(), api.standing()]);
    if (asked !== this.asked) return;
    const of = (/** @type {string} */ name) => now.settings.find((/** @type {any} */ one) => one.name === name)?.value;
    this.paused = of("policy.paused");
    fill(this.pause, this.paused ? "Go on…" : "Pause everything");
    this.pause.className = this.paused ? "primary" : "";
    keep(this.grants, standing.grants, (one) => one.id, () => document.createElement("sayso-grant"));
    this.noGrants.hidden = standing.grants.length > 0;
    fill(this.exposed, standing.exposed.length ? make("ul", { class: "said" }, ...standing.exposed.map((/** @type {any} */ one) => make("li", {}, make("strong", {}, one.principal), " until ", time(one.until), `, having read: ${one.sources.join(", ")}`))) : make("p", { class: "quiet" }, "Nobody lately."));
    fill(this.servers, standing.servers.length ? table(Object.fromEntries(standing.servers.map((/** @type {any} */ one) => [one.name, one.starts]))) : make("p", { class: "quiet" }, "None."));
    this.tellNotes(standing.notes);
    fill(this.file, "They are in ", make("code", {}, now.file), now.missing_roots.length > 0 && `; not there, and left out: ${now.missing_roots.join(", ")}`);
    for (const [place, here] of /** @type {[Element, boolean][]} */ ([[this.here, true], [this.elsewhere, false]])) {
      keep(place, now.settings.filter((/** @type {any} */ one) => one.here === here && one.name !== "policy.paused"), (one) => one.name, () => document.createElement("sayso-setting"));
    }
    this.filter();
  }

  /** @param {any[]} notes */
  tellNotes(notes) {
    fill(this.notes, notes.length ? make("ul", { class: "said" }, ...notes.map((one) => make("li", { class: "line" },
      make("span", { class: "what" }, make("strong", {}, one.name), `: ${shown(one.value)} `, make("span", { class: "quiet" }, time(one.time))),
      make("button", { type: "button", class: "plain", "aria-label": `Forget “${one.name}”`, onclick: () => attempt(this.noteNotes, () => api.forget(one.name), () => "Models are no longer told this.") }, "Forget")))) : make("p", { class: "quiet" }, "Nothing."));
  }

  filter() {
    const words = this.find.value.toLowerCase() ?? "";
    for (const one of /** @type {NodeListOf<any>} */ (this.querySelectorAll("sayso-setting"))) one.hidden = !`${one.one.name} ${one.one.says}`.toLowerCase().includes(words);
    const terminal = /** @type {HTMLDetailsElement|null} */ (this.querySelector(".terminal"));
    if (terminal && words) terminal.open = true;
  }

  switch() {
    return this.paused ? confirmed(this.note, (nonce) => api.resume(nonce), () => "Everything goes on.", "Yes, resume") : attempt(this.note, () => api.pause(), () => "All is paused.");
  }

  async examine() {
    const { check, doctor } = this;
    check.setAttribute("aria-disabled", "true");
    fill(doctor, make("p", { class: "note", role: "status" }, "Looking at everything…"));
    try {
      const { findings } = await api.doctor();
      const rank = ["broken", "note", "good"];
      const of = (/** @type {string} */ how) => findings.filter((/** @type {any} */ one) => one.how === how);
      const broken = of("broken").length;
      fill(doctor, make("p", { class: "note", role: "status" }, broken ? `${broken === 1 ? "One thing is" : `${broken} things are`} broken.` : "Nothing is broken."),
        ...rank.filter((how) => of(how).length).map((how) => make("details", { open: how === "broken" }, make("summary", {}, `${HOW[how]} (${of(how).length})`),
          make("ul", { class: "said" }, ...of(how).map((/** @type {any} */ one) => make("li", { class: how === "broken" ? "bad" : "" }, make("strong", {}, one.about), `: ${one.says}`, one.fix && listed("To mend it", [one.fix], "warn")))))));
    } catch (problem) {
      fill(doctor, make("p", { class: "note bad" }, whyNot(problem)));
    } finally {
      check.removeAttribute("aria-disabled");
      store.refresh();
    }
  }
}

customElements.define("sayso-setting", Setting);
customElements.define("sayso-grant", Grant);
customElements.define("sayso-settings", Settings);
