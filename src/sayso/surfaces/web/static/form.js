// A form for the arguments of an operation, made from its schema.

import { make } from "./parts.js";

const LONG = 80;

/** One form; `values()` are the arguments as they stand in it, without those that were left empty. */
export class ArgumentsForm {
  /** @param {any} schema @param {Record<string, unknown>} given @param {string} about */
  constructor(schema, given, about) {
    this.fields = Object.entries(schema.properties ?? {}).map(([name, how]) => new Field(name, resolved(how, schema), given[name], (schema.required ?? []).includes(name)));
    this.element = make("fieldset", { class: "form" }, make("legend", {}, about), ...this.fields.map((one) => one.element));
    if (!this.fields.length) this.element.append(make("p", { class: "quiet" }, "It has no arguments."));
  }

  values() {
    return Object.fromEntries(this.fields.map((one) => [one.name, one.value()]).filter(([, value]) => value !== undefined));
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

class Field {
  /** @param {string} name @param {any} how @param {unknown} given @param {boolean} required */
  constructor(name, how, given, required) {
    this.name = name;
    this.given = given;
    this.kind = how.enum ? "choice" : how.type === "array" && how.items?.type === "string" ? "lines" : how.type;
    if (Array.isArray(this.kind)) this.kind = this.kind.find((/** @type {string} */ one) => one !== "null");
    const shown = this.kind === "lines" ? /** @type {string[]} */ (given ?? []).join("\n") : typeof given === "string" ? given : given === undefined ? "" : JSON.stringify(given);
    this.shown = shown;
    this.input = this.make(shown, how, required);
    this.element = make("label", { class: this.kind === "boolean" ? "tick" : "field" },
      ...(this.kind === "boolean" ? [this.input, make("span", {}, name)] : [make("span", {}, name, required ? "" : " (may be empty)"), this.input]),
      how.description && make("small", { class: "quiet" }, this.kind === "lines" ? `${how.description} One on each line.` : how.description));
  }

  /** @param {string} shown @param {any} how @param {boolean} required @returns {any} */
  make(shown, how, required) {
    if (this.kind === "choice") {
      const choices = [...(required ? [] : [""]), ...how.enum];
      return make("select", {}, ...choices.map((one) => make("option", { value: one, selected: String(one) === shown }, String(one ?? ""))));
    }
    if (this.kind === "boolean") return make("input", { type: "checkbox", checked: shown === "true" });
    if (this.kind === "integer" || this.kind === "number") return make("input", { type: "number", step: this.kind === "integer" ? 1 : "any", value: shown });
    if (this.kind === "string" && !shown.includes("\n") && shown.length <= LONG) return make("input", { type: "text", value: shown, autocomplete: "off", spellcheck: "false" });
    const made = make("textarea", { rows: Math.min(16, Math.max(3, shown.split("\n").length + 1)), spellcheck: "false" });
    /** @type {HTMLTextAreaElement} */ (made).value = shown;
    return made;
  }

  /** Return what stands in the field; what nobody changed is exactly what was given. */
  value() {
    const text = this.kind === "boolean" ? String(this.input.checked) : this.input.value;
    if (text === this.shown || (this.kind === "boolean" && this.given === undefined && text === "false")) return this.given;
    if (text === "" && this.kind !== "string") return undefined;
    if (text === "" && this.given === undefined) return undefined;
    if (this.kind === "lines") return text.split("\n").filter(Boolean);
    if (this.kind === "string" || this.kind === "choice") return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
}
