// The one store of the page: what the server said last, whether it still answers, and what its socket tells.
// A message of the socket says only that something has changed; what has changed is then read anew.

import { api } from "./api.js";

const SHORTEST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

class Store {
  /** @type {any} */ state = null;
  /** @type {"begins"|"live"|"lost"} */ link = "begins";
  /** When what is shown was last known to be as it is, in milliseconds. */
  asOf = 0;
  /** When the server is asked again. */
  retries = 0;
  sequence = 0;
  inside = false;
  /** Reads what the shown views show; the page sets it. */
  read = async () => {};
  /** @type {WebSocket|null} */ #socket = null;
  /** @type {Map<string, Set<(told: any) => void>>} */ #listeners = new Map();
  #pause = SHORTEST_PAUSE;
  /** @type {Promise<void>|null} */ #reading = null;
  #again = false;
  /** @type {number|undefined} */ #timer;

  /**
   * Have a listener called with each message of a type, or when the "state" or the "link" has changed.
   * @param {string} type @param {(told: any) => void} listener
   */
  on(type, listener) {
    const known = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, known.add(listener));
    return () => known.delete(listener);
  }

  /** @param {string} type @param {any} [told] */
  #tell(type, told) {
    for (const one of this.#listeners.get(type) ?? []) one(told);
  }

  /** @param {any} state */
  set(state) {
    this.state = state;
    this.sequence = Math.max(this.sequence, state.sequence);
    this.asOf = Date.now();
    this.#tell("state", state);
  }

  /** Why nothing can be done now; "" if it can. */
  get brake() {
    if (!this.state?.paused) return "";
    return this.state.unreadable ? `The settings cannot be read: ${this.state.unreadable}` : "All is paused; resume first.";
  }

  /** @param {"live"|"lost"} link */
  #link(link) {
    this.link = link;
    this.#tell("link", link);
  }

  /** Read what is shown anew, and return when it was read; calls while this goes on make it go on once more. */
  refresh() {
    this.#again = true;
    return (this.#reading ??= this.#readUntilStill().finally(() => { this.#reading = null; }));
  }

  async #readUntilStill() {
    while (this.#again && this.inside) {
      this.#again = false;
      await this.#readAll();
    }
  }

  async #readAll() {
    try {
      const state = await api.state();  // first: what is read after it is at least as new as its number says
      await this.read();
      this.set(state);
    } catch (problem) {
      if (!(problem instanceof Error && "status" in problem)) throw problem;
    }
  }

  /** @param {object} message */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Open the socket, and open it anew whenever it closes, for as long as this browser is let in. */
  connect() {
    clearTimeout(this.#timer);
    if (!this.inside || this.#socket) return;
    const socket = (this.#socket = new WebSocket(`ws://${location.host}/ws`));
    socket.addEventListener("message", ({ data }) => {
      const told = JSON.parse(data);
      this.#pause = SHORTEST_PAUSE;
      if (this.link !== "live") this.#link("live");
      if (told.type === "changed" || (told.type === "hello" && told.sequence !== this.sequence)) this.refresh();
      this.asOf = Date.now();
      this.#tell(told.type, told);
    });
    socket.addEventListener("close", () => {
      this.#socket = null;
      if (!this.inside) return;
      if (this.link === "live") this.asOf = Date.now();
      this.retries = Date.now() + this.#pause;
      this.#timer = setTimeout(() => this.#retry(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
      this.#link("lost");
    });
  }

  /** A closed socket does not say why; an answer does, if there is one. */
  async #retry() {
    try {
      await api.state();
      await this.refresh();
    } catch {
      // The next try follows from the socket, which does not open either.
    }
    this.connect();
  }

  /** Do not wait for the next try. */
  retryNow() {
    if (this.link === "live" || this.#socket) return;
    clearTimeout(this.#timer);
    this.#retry();
  }

  leave() {
    this.inside = false;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }
}

export const store = new Store();
addEventListener("online", () => store.retryNow());
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && store.retryNow());
