// Requests to the server of this page. An answer that is not fine is thrown as `Problem`, with the server's sentence.

export class Problem extends Error {
  /** @param {number} status @param {string} code @param {string} why @param {any} [body] all that the server answered */
  constructor(status, code, why, body = {}) {
    super(why);
    this.body = body;
    this.status = status;
    this.code = code;
  }
}

/** Return the sentence of a problem; anything else is a fault of the page itself, and thrown on. @param {unknown} problem */
export function whyNot(problem) {
  if (problem instanceof Problem) return problem.message;
  throw problem;
}

/** Called when the server says that this browser is not let in (any more). */
export const session = { lost: (/** @type {string} */ _why) => {} };

/** Called with true when a request has lasted for half a second, and with false when none does any more. */
export const progress = { changed: (/** @type {boolean} */ _busy) => {} };
const LONG = 500;
let long = 0;

/** @param {string} path @param {object} [sent] */
export async function ask(path, sent) {
  let counted = 0;
  const timer = setTimeout(() => {
    counted = 1;
    long += 1;
    progress.changed(true);
  }, LONG);
  try {
    return await answered(path, sent);
  } finally {
    clearTimeout(timer);
    long -= counted;
    if (counted && !long) progress.changed(false);
  }
}

/** @param {string} path @param {object} [sent] */
async function answered(path, sent) {
  let answer;
  let body;
  try {
    answer = await fetch(path, sent === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(sent),
    });
    body = answer.status === 204 ? null : await answer.json();  // which fails if the line is cut in the middle of it
  } catch {
    throw new Problem(0, "page.away", "The server does not answer; nothing is known of what became of this.");
  }
  if (answer.ok) return body;
  const problem = new Problem(answer.status, body.code ?? "", sentence(body.error ?? `The server answered ${answer.status}.`), body);
  if (answer.status === 401) session.lost(problem.message);
  throw problem;
}

/** Return a text with the capital letter and the dot of a sentence. @param {string} text */
export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

export const api = {
  enter: (/** @type {string} */ token) => ask("/api/session", { token }),
  state: () => ask("/api/state"),
  waiting: () => ask("/api/waiting"),
  /** @param {Record<string, string>} wanted */
  rows: (wanted) => ask(`/api/rows?${new URLSearchParams(wanted)}`),
  row: (/** @type {string} */ id) => ask(`/api/rows/${encodeURIComponent(id)}`),
  decide: (/** @type {object} */ answer) => ask("/api/decide", answer),
  edit: (/** @type {object} */ edit) => ask("/api/edit", edit),
  forms: (/** @type {string} */ run) => ask(`/api/form?${new URLSearchParams({ id: run })}`),
  always: (/** @type {string[]} */ ids) => ask(`/api/always?${new URLSearchParams({ ids: ids.join(",") })}`),
  undoable: (/** @type {string} */ id) => ask(`/api/undo?${new URLSearchParams({ id })}`),
  lookBack: (/** @type {string} */ to) => ask(`/api/rewind?${new URLSearchParams({ to })}`),
  rewind: (/** @type {string} */ to, /** @type {string} */ digest) => ask("/api/rewind", { to, digest }),
  verify: () => ask("/api/verify"),
  undo: (/** @type {string} */ id) => ask("/api/undo", { id }),
  lists: () => ask("/api/lists"),
  numbers: () => ask("/api/numbers"),
  standing: () => ask("/api/standing"),
  doctor: () => ask("/api/doctor"),
  revoke: (/** @type {string} */ id) => ask(`/api/grants/${encodeURIComponent(id)}/revoke`, {}),
  forget: (/** @type {string} */ name) => ask(`/api/context/${encodeURIComponent(name)}/forget`, {}),
  settings: () => ask("/api/settings"),
  set: (/** @type {string} */ name, /** @type {unknown} */ value, nonce = "") => ask("/api/settings", { name, value, nonce }),
  pause: () => ask("/api/pause", {}),
  resume: (nonce = "") => ask("/api/resume", { nonce }),
  automation: () => ask("/api/automation"),
  automate: (/** @type {object} */ what) => ask("/api/automate", what),
  trace: (/** @type {string} */ run) => ask(`/api/traces/${encodeURIComponent(run)}`),
  trigger: (/** @type {string} */ name, /** @type {"switch"|"delete"} */ what, /** @type {object} */ given) => ask(`/api/triggers/${encodeURIComponent(name)}/${what}`, given),
  addTrigger: (/** @type {string} */ words, /** @type {string} */ name, nonce = "") => ask("/api/triggers", { words, name, nonce }),
  actions: () => ask("/api/actions"),
  actionLog: (/** @type {string} */ id) => ask(`/api/actions/${encodeURIComponent(id)}/log`),
  actionDo: (/** @type {string} */ id, /** @type {"preview"|"run"} */ how, /** @type {object} */ params) => ask(`/api/actions/${encodeURIComponent(id)}/${how}`, { params }),
  list: (/** @type {string} */ operation, /** @type {object} */ given) => ask("/api/lists", { operation, arguments: given }),
  sessions: () => ask("/api/sessions?limit=50"),
  begin: (/** @type {string} */ entry) => ask("/api/sessions", { entry }),
  /** @param {string} id @param {Record<string, string>} [wanted] */
  session: (id, wanted = {}) => ask(`/api/sessions/${encodeURIComponent(id)}?${new URLSearchParams(wanted)}`),
  /** @param {string} id @param {string} what @param {object} [sent] */
  talk: (id, what, sent = {}) => ask(`/api/sessions/${encodeURIComponent(id)}/${what}`, sent),
  wishes: () => ask("/api/wishes"),
};
