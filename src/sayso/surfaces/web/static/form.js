// Fields made from a schema: for the arguments of an operation that are edited, and for the parameters of an own action.

import { make } from "./parts.js";

const LONG = 80;
let made = 0;

/** The fields of a schema; `values()` are what stands in them, without those that were left empty. */
export class Fields {
  /** @param {any} schema @param {Record<string, unknown>} given @param {string[]} [secret] names of what is not shown while it is typed */
  constructor(schema, given, secret = []) {
    const required = new Set(schema.required ?? []);
    this.all = Object.entries(schema.properties ?? {}).map(([name, how]) => new Field(name, resolved(how, schema), given[name], required.has(name), secret.includes(name)));
    this.elements = this.all.length ? this.all.map((one) => one.element) : [make("p", { class: "quiet" }, "It has no arguments.")];
  }

  values() {
    return Object.fromEntries(this.all.map((one) => [one.name, one.value()]).filter(([, value]) => value !== undefined));
  }

  /** Return what is wrong, as sentences, and go to the first such field; "" if nothing is. */
  problem() {
    const wrong = this.all.filter((one) => one.problem());
    wrong[0]?.input.focus();
    return wrong.map((one) => one.problem()).join(" ");
  }
}

/**
 * Return a part of a schema, with what it refers to in its place; of several choices, the first that is not null.
 * @param {any} how @param {any} schema @returns {any}
 */
function resolved(how, schema) {
  let found = how;
  if (found.$ref) found = { ...(schema.$defs ?? {})[found.$ref.split("/").at(-1)], ...found };
  const other = (found.anyOf ?? []).find((/** @type {any} */ one) => one.type !== "null");
  return other ? { ...found, ...resolved(other, schema) } : found;
}

/** @param {any} how @returns {"choice"|"lines"|"number"|"string"|"json"} how it is written into a field */
function kindOf(how) {
  if (how.enum || how.type === "boolean") return "choice";
  if (how.type === "array" && how.items?.type === "string") return "lines";
  if (how.type === "integer" || how.type === "number") return "number";
  return how.type === "string" ? "string" : "json";
}

class Field {
  /** @param {string} name @param {any} how @param {unknown} given @param {boolean} required @param {boolean} secret */
  constructor(name, how, given, required, secret) {
    this.name = name;
    this.given = given;
    this.required = required;
    this.type = [how.type].flat().find((one) => one !== "null") ?? "object";
    this.kind = kindOf({ ...how, type: this.type });
    /** @type {string} */ this.shown = this.write(given);
    const id = `field-${(made += 1)}`;
    const about = this.kind === "lines" ? `${how.description ?? ""} One on each line.`.trim() : how.description;
    this.input = this.make(how, secret, { id, "aria-describedby": about ? `${id}-about` : null });
    this.input.value = this.shown;
    this.shown = this.input.value;  // a field for one line, or a choice, cannot hold every text
    this.element = make("div", { class: "field" }, make("label", { for: id }, name, !required && make("span", { class: "quiet" }, " (may be left out)")),
      this.input, about && make("small", { class: "quiet", id: `${id}-about` }, about));
  }

  /** @param {unknown} value */
  write(value) {
    if (value === undefined) return "";
    if (this.kind === "lines" && Array.isArray(value)) return value.join("\n");
    return this.kind === "choice" || typeof value !== "string" ? JSON.stringify(value) : value;
  }

  /** @param {any} how @param {boolean} secret @param {Record<string, unknown>} more @returns {HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement} */
  make(how, secret, more) {
    if (this.kind === "choice") {
      const labels = /** @type {Record<string, string>} */ ({ true: "yes", false: "no", null: "nothing" });
      const choices = /** @type {unknown[]} */ (how.enum ?? [true, false]);
      return make("select", more, (!this.required || this.given === undefined) && make("option", { value: "" }, "—"),
        ...choices.map((one) => make("option", { value: JSON.stringify(one) }, typeof one === "string" ? one : labels[String(one)] ?? String(one))));
    }
    const isLine = this.kind === "number" || (this.kind === "string" && !this.shown.includes("\n") && this.shown.length <= LONG);
    if (isLine) return make("input", { ...more, type: secret ? "password" : "text", inputmode: this.kind === "number" ? "decimal" : null, autocomplete: "off", spellcheck: "false" });
    return make("textarea", { ...more, rows: Math.min(16, Math.max(3, this.shown.split("\n").length + 1)), spellcheck: "false" });
  }

  /** Return what stands in the field; what nobody changed is exactly what was given. */
  value() {
    const text = this.input.value;
    if (text === this.shown) return this.given;
    if (text === "" && (this.kind !== "string" || !this.required)) return undefined;
    if (this.kind === "lines") return text.split("\n").filter(Boolean);
    if (this.kind === "string") return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  problem() {
    const value = this.value();
    if (value === undefined) return this.required ? `${this.name} is missing.` : "";
    const fits = this.kind === "number" ? (this.type === "integer" ? Number.isInteger(value) : typeof value === "number") : this.kind !== "json" || typeof value !== "string";
    return fits ? "" : `${this.name} is no ${this.type}.`;
  }
}
