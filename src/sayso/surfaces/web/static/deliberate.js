// A yes has to be meant. An answer counts only if the person saw the whole card, for a moment and where it is now, in a
// window that has the focus; the first click or key in a window that got the focus only gives it the focus.

const MOMENT = 400;
const EACH_LOOK = 80;  // milliseconds between two looks whether something has moved
const watched = new Set();
let ready = true;
let repeated = false;

export class Deliberate {
  /** @param {Element} start @param {Element} end what stands at the start and at the end of the card */
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.seenStart = this.seenEnd = this.endInView = false;
    this.begun = Infinity;
    this.place = "";
    this.moved = false;
    this.watch();
  }

  /** Since when all of it has been in view, where it is now. */
  get since() {
    this.lookWhere();
    return this.begun;
  }

  /** @param {number} moment */
  set since(moment) {
    this.begun = moment;
    this.moved = false;
    this.place = placeOf(this.start, this.end);
  }

  /** Begin the moment anew if it was moved, by whatever: under the pointer may be another button now. */
  lookWhere() {
    if (this.begun === Infinity || this.place === placeOf(this.start, this.end)) return;
    this.restart();
    this.moved = true;
  }

  /** Watch what comes into view; what stands below a bar of the page is not in view. */
  watch() {
    watched.add(this);
    this.observer?.disconnect();
    this.endInView = false;
    this.observer = new IntersectionObserver((entries) => this.look(entries), { threshold: 0, rootMargin: uncovered(this.start) });
    this.observer.observe(this.start);
    this.observer.observe(this.end);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  look(entries) {
    for (const { target, isIntersecting } of entries) {
      if (target === this.start) this.seenStart ||= isIntersecting;
      else this.endInView = isIntersecting;
      this.seenEnd ||= target === this.end && isIntersecting;
    }
    if (!this.endInView || !this.seenStart) this.since = Infinity;
    else if (this.begun === Infinity) this.restart();
  }

  /** Begin the moment anew: something moved, or the window has just got the focus. */
  restart() {
    this.since = this.endInView && this.seenStart && isInFront() ? performance.now() : Infinity;
  }

  stop() {
    this.observer?.disconnect();
    watched.delete(this);
  }

  /** Return why this click does not count; "" if it does. @param {Event} event */
  refusal(event) {
    if (!event.isTrusted) return "Only you can answer, not a script.";
    if (!isInFront() || !ready) return "The first click only brings this window to the front. Answer now, if you mean to.";
    if (repeated) return "A key that is held down does not answer.";
    if (!this.seenStart) return "Its beginning was never in view. Look at all of it first.";
    if (!this.seenEnd) return "Read the card to its end first.";
    const { since } = this;
    if (since === Infinity) return "Bring the whole answer into view first.";
    return performance.now() - since < MOMENT ? `${this.moved ? "This has just moved" : "That was faster than anybody reads"}. Look again, then answer.` : "";
  }
}

/** Begin the moment of every card anew, because what is under the pointer may be another card now. */
export function restartAll() {
  for (const one of watched) one.restart();
}

/** Return the margins that take away from the window what bars and the field of the chat cover. @param {Element} at */
function uncovered(at) {
  const height = (/** @type {Element|null|undefined} */ one) => one?.getBoundingClientRect().height ?? 0;
  const above = small.matches ? height(document.querySelector(".side")) : 0;
  const below = small.matches ? height(document.querySelector("nav")) : 0;
  const [head, field] = [".head", ".bottom"].map((one) => height(at.closest("sayso-chat")?.querySelector(one)));
  return `-${above + head}px 0px -${below + field}px 0px`;
}

/** Return where in the window something begins and ends. @param {...Element} edges */
function placeOf(...edges) {
  return edges.map((one) => one.getBoundingClientRect()).map(({ left, top }) => `${Math.round(left)},${Math.round(top)}`).join(" ");
}

function isInFront() {
  return document.visibilityState === "visible" && document.hasFocus();
}

function away() {
  ready = false;
  for (const one of watched) one.since = Infinity;
}

function makeReady() {
  if (ready) return;
  ready = true;
  restartAll();
}

setInterval(() => watched.forEach((one) => one.lookWhere()), EACH_LOOK);
const small = matchMedia("(max-width: 56rem)");
small.addEventListener("change", () => watched.forEach((one) => one.watch()));
ready = isInFront();
addEventListener("blur", away);
addEventListener("focus", restartAll);
document.addEventListener("visibilitychange", () => (isInFront() ? restartAll() : away()));
addEventListener("click", makeReady);
addEventListener("keyup", ({ key }) => {
  if (key !== " ") makeReady();  // after this one a button is clicked, which makes ready too
});
addEventListener("keydown", (event) => { repeated = event.repeat; }, true);
addEventListener("pointerdown", () => { repeated = false; }, true);
