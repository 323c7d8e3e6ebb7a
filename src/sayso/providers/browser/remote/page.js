// Functions that read and change a page. They run in an isolated world, which the page's scripts cannot reach.
// The value of this file is one object; its functions get all data as JSON arguments.
({
  element: null,
  watched: null,

  // Resolves when the page has loaded, or after this many milliseconds.
  waitUntilLoaded(milliseconds) {
    // The browser's own pages, such as error pages, may never fire a load event.
    if (document.readyState === "complete" || document.documentURI.startsWith("about:")) return true;
    return new Promise((done) => {
      addEventListener("load", () => done(true), { once: true });
      setTimeout(() => done(false), milliseconds);
    });
  },

  // Returns the first `limit` code points of the visible text, and the number of all its code points.
  readText(limit) {
    const points = Array.from((document.body ? document.body.innerText : "").toWellFormed());
    return { text: points.slice(0, limit).join(""), total: points.length };
  },

  readTitle() {
    return document.title.toWellFormed().slice(0, 1000);
  },

  listLinks(most) {
    return Array.from(document.querySelectorAll("a[href], area[href]"))
      .filter((link) => typeof link.href === "string")
      .slice(0, most)
      .map((link) => ({
        text: (link.innerText || link.ariaLabel || link.title || link.querySelector("img")?.alt || link.alt || "").toWellFormed(),
        href: link.href.toWellFormed(),
      }));
  },

  sought: "",
  filled: ["", null],
  usable: "a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=''], [contenteditable=true], "
    + ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "combobox", "textbox", "searchbox", "slider"]
      .map((role) => `[role=${role}]`).join(", "),
  around: "li, tr, article, fieldset, dialog, [role=row], [role=listitem], [role=option], [role=dialog]",

  // Returns the page's document and those of its visible frames of the same origin.
  documents() {
    const found = [document];
    for (const within of found) {
      for (const frame of within.querySelectorAll("iframe, frame")) {
        if (this.insideOf(frame) && this.isVisible(frame)) found.push(this.insideOf(frame));
      }
    }
    return found.slice(0, 50);
  },

  insideOf(frame) {
    try {
      return frame.contentDocument?.defaultView ? frame.contentDocument : null;
    } catch {
      return null;
    }
  },

  findAll(selector) {
    return this.documents().flatMap((one) => Array.from(one.querySelectorAll(selector))).filter((one) => this.isVisible(one));
  },

  // Returns the frames that an element is in, the innermost first.
  framesOf(element) {
    const frames = [];
    for (let at = element.ownerDocument; at !== document; at = frames.at(-1).ownerDocument) {
      const frame = at.defaultView?.frameElement;
      if (!frame) return null; // the frame was removed
      frames.push(frame);
    }
    return frames;
  },

  // Returns the visible headings, the frames, and what can be clicked or filled in; the last with their references.
  outline(most) {
    const references = this.references();
    const all = this.findAll(`${this.usable}, h1, h2, h3, h4, h5, h6, iframe, frame`);
    return { total: all.length, rows: all.slice(0, most).map((one) => {
      const frame = ["iframe", "frame"].includes(one.localName);
      const [role, name] = frame ? ["frame", one.title || one.name || ""] : [this.roleOf(one) || one.localName, this.nameOf(one) || this.textOf(one)];
      this.element = one;
      const { secret, value, opens } = this.describeElement();
      return {
        reference: references.get(one) || "", role: role.slice(0, 40).toWellFormed(),
        name: name.replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed(),
        value: secret ? "" : (value || "").slice(0, 200), opens: opens.slice(0, 200), state: this.statesOf(one, secret),
      };
    }) };
  },

  statesOf(element, secret) {
    const is = (name) => element.getAttribute(`aria-${name}`) === "true";
    return Object.entries({
      checked: element.checked === true || is("checked"), disabled: element.matches(":disabled") || is("disabled"),
      expanded: is("expanded"), selected: is("selected"), pressed: is("pressed"), required: element.required === true || is("required"),
      "read-only": element.readOnly === true || is("readonly"), "not read": secret,
    }).filter(([, so]) => so).map(([name]) => name);
  },

  // Returns the reference of each usable element. It holds while the page is not loaded anew and the element, its
  // address and the row it stands in say the same; of elements that say the same, it holds while there are as many.
  references() {
    const found = this.findAll(this.usable).slice(0, 5000);
    const says = found.map((one) => JSON.stringify([
      performance.timeOrigin, document.URL, one.ownerDocument.defaultView.performance.timeOrigin, one.ownerDocument.URL, one.localName, one.type, this.roleOf(one), this.nameOf(one).slice(0, 300), one.href,
      (one.closest(this.around)?.innerText || "").slice(0, 500),
    ]));
    const count = new Map(), place = new Map();
    says.forEach((text) => count.set(text, (count.get(text) || 0) + 1));
    return new Map(found.map((one, index) => {
      const text = says[index];
      place.set(text, (place.get(text) || 0) + 1);
      return [one, `e${index + 1}-${this.shortHash(`${text} ${place.get(text)} of ${count.get(text)}`)}`];
    }));
  },

  shortHash(text) {
    let high = 0xdeadbeef, low = 0x41c6ce57;
    for (let at = 0; at < text.length; at++) {
      high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36).padStart(7, "0").slice(-7);
  },

  // Finds the element of a reference. What was just filled in is the same element, even if it says something else now.
  findReference(reference, hash) {
    const found = Array.from(this.references()).filter(([, one]) => one.endsWith(`-${hash}`)).map(([one]) => one);
    if (!found.length && this.filled[0] === reference && this.filled[1].isConnected) found.push(this.filled[1]);
    if (found.length !== 1) return { problem: "changed" };
    this.element = found[0];
    return this.describeElement();
  },

  // Finds the one visible element that a selector matches. Returns a description of it, or why it cannot be used.
  findElement(selector) {
    this.element = null;
    this.sought = selector;
    const reference = /^e[0-9]+-([0-9a-z]{7})$/.exec(selector);
    if (reference) return this.findReference(selector, reference[1]);
    let found;
    try {
      found = Array.from(document.querySelectorAll(selector));
    } catch {
      return { problem: "selector" };
    }
    if (!found.length) return { problem: "none" };
    const seen = found.filter((one) => this.isVisible(one));
    if (!seen.length) return { problem: "hidden", count: found.length };
    if (seen.length > 1) return { problem: "many", count: seen.length };
    this.element = seen[0];
    return this.describeElement();
  },

  isVisible(element) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    return Array.from(element.getClientRects()).some((box) => box.width > 0 && box.height > 0);
  },

  describeElement() {
    const element = this.element;
    const kind = this.fieldKind(element);
    const secret = kind !== "" && /^(password)$/.test(element.type || "")
      || /(^|\s)(cc-\S+|one-time-code|current-password|new-password)(\s|$)/.test(element.autocomplete || "");
    return {
      problem: element.matches(":disabled") || element.ariaDisabled === "true" ? "disabled" : "",
      tag: element.localName,
      kind,
      readonly: kind !== "" && (element.readOnly === true || element.ariaReadOnly === "true"),
      secret,
      value: kind === "" || secret ? null : this.fieldValue(),
      opens: typeof element.href === "string" ? element.href.toWellFormed() : "",
      submits: this.sendsForm(element) ? this.formSays(element, "action").toWellFormed() : "",
      method: this.sendsForm(element) ? this.formSays(element, "method") : "",
      text: this.shownText(element).slice(0, 200).toWellFormed(),
    };
  },

  sendsForm(element) {
    return Boolean(element.form) && ["submit", "image"].includes(element.type) && ["button", "input"].includes(element.localName);
  },

  // Returns the address or method of a form, as its button says or else the form itself; a field that is called “action”
  // would stand in place of the form's own.
  formSays(button, name) {
    if (button.hasAttribute(`form${name}`)) return button[{ action: "formAction", method: "formMethod" }[name]];
    return Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, name).get.call(button.form);
  },

  shownText(element) {
    if (element.localName === "select") return Array.from(element.options).map((option) => option.label).join("\n");
    return element.innerText || element.value || "";
  },

  // Returns the kind of field: "" for none, "text", "choice" for a list, "rich" for text with formatting, or "file".
  fieldKind(element) {
    if (element.localName === "textarea") return "text";
    if (element.localName === "select") return element.multiple ? "" : "choice";
    if (element.isContentEditable) return "rich";
    if (element.localName !== "input") return "";
    if (element.type === "file") return "file";
    return ["button", "submit", "reset", "image", "checkbox", "radio", "hidden"].includes(element.type) ? "" : "text";
  },

  fieldValue() {
    const element = this.element;
    return (this.fieldKind(element) === "rich" ? element.innerText : element.value).toWellFormed();
  },

  // Scrolls the element into view and returns where to click it, after it has stopped moving.
  async scrollToElement() {
    const element = this.element;
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    // A moving element changes only with each frame. A busy browser may draw few frames, and a hidden page draws none.
    const patience = document.hidden ? 100 : 500;
    const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, patience); });
    const where = () => JSON.stringify(element.getBoundingClientRect());
    let before = where();
    for (let frames = 0; frames < 60; frames++) {
      await frame();
      const now = where();
      if (frames > 0 && now === before) return this.findClickPoint();
      before = now;
    }
    return { problem: "moving" };
  },

  // Returns where a click hits the element, or which other element it would hit.
  findClickPoint() {
    const element = this.element;
    const frames = element.isConnected ? this.framesOf(element) : null;
    if (!frames || ![element, ...frames].every((one) => this.isVisible(one))) return { problem: "hidden", count: 1 };
    const view = element.ownerDocument.defaultView;
    const clip = (box) => ({
      left: Math.max(box.left, 0), right: Math.min(box.right, view.innerWidth),
      top: Math.max(box.top, 0), bottom: Math.min(box.bottom, view.innerHeight),
    });
    const box = Array.from(element.getClientRects()).map(clip).find((one) => one.right - one.left >= 1 && one.bottom - one.top >= 1);
    if (!box) return { problem: "outside" };
    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    let hit = element.ownerDocument.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) hit = hit.shadowRoot.elementFromPoint(x, y);
    return this.belongsToElement(hit) ? this.throughFrames(frames, x, y) : { problem: "covered", by: this.describeTag(hit) };
  },

  // Returns where a point inside of frames is on the page, or what covers one of the frames there.
  throughFrames(frames, x, y) {
    for (const frame of frames) {
      const box = frame.getBoundingClientRect(), style = getComputedStyle(frame);
      if (Math.abs(box.width - frame.offsetWidth) > 1 || Math.abs(box.height - frame.offsetHeight) > 1) return { problem: "outside" };
      x += box.left + frame.clientLeft + parseFloat(style.paddingLeft);
      y += box.top + frame.clientTop + parseFloat(style.paddingTop);
      const hit = frame.ownerDocument.elementFromPoint(x, y);
      if (!hit) return { problem: "outside" };
      if (hit !== frame) return { problem: "covered", by: this.describeTag(hit) };
    }
    return { problem: "", x, y };
  },

  belongsToElement(hit) {
    for (let one = hit; one; one = one.parentNode || one.host) {
      if (one === this.element || this.element.labels && Array.from(this.element.labels).includes(one)) return true;
    }
    return false;
  },

  describeTag(element) {
    if (!element) return "nothing";
    const id = element.id ? `#${element.id}` : "";
    const classes = Array.from(element.classList).slice(0, 2).map((name) => `.${name}`).join("");
    return `<${element.localName}${id}${classes}>`.slice(0, 80).toWellFormed();
  },

  // Stops the events of the coming click unless they reach the element, and records which element they reach.
  watchClick() {
    const watched = { touched: false, clicked: false, strayed: "", framed: false, stop: null };
    const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    const last = this.fieldKind(this.element) === "choice" ? "mousedown" : "click"; // a drop-down list opens on press
    const listener = (event) => {
      if (!event.isTrusted) return;
      const target = event.composedPath()[0];
      if (this.belongsToElement(target)) {
        watched.touched = true;
        watched.clicked ||= event.type === last;
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
      if (watched.clicked) return;
      watched.strayed ||= this.describeTag(target);
      watched.framed ||= ["iframe", "frame", "fencedframe", "object", "embed"].includes(target.localName);
    };
    // The events of a click in a frame are not seen in the windows around it.
    const views = new Set([window, ...[this.element, ...this.framesOf(this.element) || []].map((one) => one.ownerDocument.defaultView)]);
    const all = (act) => views.forEach((view) => view && kinds.forEach((kind) => act(view, kind)));
    all((view, kind) => view.addEventListener(kind, listener, { capture: true, passive: false }));
    watched.stop = () => all((view, kind) => view.removeEventListener(kind, listener, { capture: true }));
    this.watched = watched;
    return true;
  },

  reportClick() {
    const { touched, clicked, strayed, framed, stop } = this.watched;
    stop();
    return { touched, clicked, strayed, framed };
  },

  // Sets a field with the events of typing, and returns its content. The driver types rich text itself.
  fillField(value) {
    const element = this.element;
    this.filled = [this.sought, element];
    element.focus({ preventScroll: false });
    const own = { select: HTMLSelectElement, textarea: HTMLTextAreaElement, input: HTMLInputElement }[element.localName];
    if (own === HTMLSelectElement) {
      const option = Array.from(element.options).find((one) => one.value === value) || Array.from(element.options).find((one) => one.label.trim() === value);
      if (!option || option.disabled) return { problem: "option", options: Array.from(element.options).slice(0, 20).map((one) => one.value.toWellFormed()) };
      element.value = value = option.value;
    } else {
      Object.getOwnPropertyDescriptor(own.prototype, "value").set.call(element, value);
    }
    element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText" }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
    // `held` reports whether a secret was accepted, without returning the secret.
    return { problem: "", value: this.describeElement().secret ? null : this.fieldValue(), held: this.holdsValue(value) };
  },

  // Returns whether a field contains a value. Signs between letters and digits may differ, but not in a password.
  holdsValue(value) {
    const found = this.element.value;
    const parts = (text) => Array.from(text).filter((sign) => /[\p{L}\p{N}]/u.test(sign)).join("");
    if (found === value || this.element.type === "password" || this.element.localName === "select") return found === value;
    return parts(value) !== "" && parts(found) === parts(value);
  },

  selectAll() {
    this.filled = [this.sought, this.element];
    this.element.focus({ preventScroll: false });
    getSelection().selectAllChildren(this.element);
    return document.activeElement === this.element || this.element.contains(document.activeElement);
  },

  // Opens a tab right after the front tab of this window.
  openTabBeside(url) {
    open(url, "_blank", "noopener,noreferrer");
    return true;
  },

  // Returns a script in a form that can be evaluated: top-level `await` is wrapped in a function. Runs nothing.
  prepareScript(code) {
    const reads = (...parts) => { try { new Function(...parts); return true; } catch { return false; } };
    if (reads(code) || /^\s*$/.test(code)) return code;
    const expression = `(async () => (\n${code}\n))()`;
    if (reads(expression)) return expression;
    const statements = `(async () => {\n${code}\n})()`;
    return reads(statements) ? statements : code;
  },

  // Returns role and name of the found element, for browsers that do not report their accessibility tree.
  accessibleName() {
    return [this.roleOf(this.element), this.nameOf(this.element).replace(/\s+/g, " ").trim().slice(0, 1000).toWellFormed()];
  },

  roleOf(element) {
    const explicit = (element.getAttribute("role") || "").trim().split(/\s+/)[0];
    if (explicit) return explicit.toLowerCase();
    const name = element.localName;
    if (name === "input") {
      const fields = { checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox" };
      if (["button", "submit", "reset", "image"].includes(element.type)) return "button";
      return fields[element.type] || (element.list ? "combobox" : "textbox");
    }
    if (name === "select") return element.multiple || element.size > 1 ? "listbox" : "combobox";
    if (name === "a" || name === "area") return element.hasAttribute("href") ? "link" : "";
    if (/^h[1-6]$/.test(name)) return "heading";
    const roles = {
      button: "button", textarea: "textbox", option: "option", img: "img", ul: "list", ol: "list", li: "listitem", p: "paragraph",
      table: "table", tr: "row", td: "cell", th: "columnheader", nav: "navigation", main: "main", article: "article",
      dialog: "dialog", progress: "progressbar", meter: "meter", output: "status", fieldset: "group", details: "group",
    };
    return roles[name] || "";
  },

  nameOf(element) {
    const words = (ids) => ids.trim().split(/\s+/).map((id) => element.getRootNode().getElementById?.(id)?.textContent || "").join(" ");
    const by = element.hasAttribute("aria-labelledby") ? words(element.getAttribute("aria-labelledby")) : "";
    if (by.trim()) return by;
    if (element.ariaLabel?.trim()) return element.ariaLabel;
    const labels = Array.from(element.labels || []).map((label) => this.labelWithoutField(label, element)).join(" ");
    if (labels.trim()) return labels;
    if (element.localName === "input" && ["button", "submit", "reset"].includes(element.type)) {
      return element.value || { submit: "Submit", reset: "Reset" }[element.type] || element.title;
    }
    if (element.alt) return element.alt;
    const named = ["button", "link", "heading", "option", "checkbox", "radio", "menuitem", "tab", "switch", "cell", "columnheader"];
    const inner = named.includes(this.roleOf(element)) ? this.textOf(element) : "";
    return inner.trim() ? inner : element.title || element.placeholder || "";
  },

  // Returns the text of a label without the content of its field.
  labelWithoutField(label, field) {
    if (!label.contains(field)) return this.textOf(label);
    const copy = label.cloneNode(true);
    copy.querySelectorAll("input, textarea, select, [contenteditable]").forEach((one) => one.remove());
    return copy.textContent;
  },

  textOf(element) {
    const pictures = Array.from(element.querySelectorAll("img[alt]")).map((one) => one.alt).join(" ");
    return (element.innerText || "").trim() || pictures;
  },

  waitForNextFrame() {
    return new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0, true)); setTimeout(done, 200, true); });
  },
})
