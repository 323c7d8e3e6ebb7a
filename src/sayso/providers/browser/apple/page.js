// Functions that read and change a page for Safari and Chrome on macOS. Each call runs anew and returns JSON.
// The value of this file is a function of the name of one of them and its arguments.
(function (name, data) {
  const usable = "a[href], area[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox]";
  const clean = (text) => String(text === undefined || text === null ? "" : text).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(^|[^\ud800-\udbff])[\udc00-\udfff]/g, "$1\ufffd");
  const brief = (text) => clean(text).replace(/\s+/g, " ").trim().slice(0, 200);
  const loaded = () => String(performance.timeOrigin);

  const visible = (one) => one.getClientRects().length > 0;
  const secret = (one) => one.type === "password";
  const isField = (one) => one.localName === "textarea" || one.localName === "select"
    || (one.localName === "input" && !["button", "submit", "reset", "image", "file", "hidden", "checkbox", "radio"].includes(one.type));
  const roleOf = (one) => one.getAttribute("role") || { a: "link", button: "button", select: "combobox", textarea: "textbox" }[one.localName]
    || (isField(one) ? "textbox" : one.localName === "input" ? ({ checkbox: "checkbox", radio: "radio" }[one.type] || "button") : "<" + one.localName + ">");
  const nameOf = (one) => brief(one.getAttribute("aria-label") || (one.labels && one.labels[0] && one.labels[0].innerText) || one.innerText
    || one.getAttribute("placeholder") || one.name || (isField(one) ? "" : one.value) || "");

  function hash(text) {
    let high = 0xdeadbeef, low = 0x41c6ce57;
    for (let at = 0; at < text.length; at += 1) {
      high = Math.imul(high ^ text.charCodeAt(at), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(at), 1597334677);
    }
    return ((high >>> 0).toString(36) + (low >>> 0).toString(36)).padStart(7, "0").slice(-7);
  }

  function references() {
    const found = Array.from(document.querySelectorAll(usable)).filter(visible).slice(0, 2000);
    const count = new Map();
    return found.map((one, at) => {
      const says = JSON.stringify([loaded(), document.URL, one.localName, one.type, roleOf(one), nameOf(one), one.href]);
      count.set(says, (count.get(says) || 0) + 1);
      return ["e" + (at + 1) + "-" + hash(says + " " + count.get(says)), one];
    });
  }

  function find(selector) {
    if (/^e[0-9]+-[0-9a-z]{7}$/.test(selector)) {
      const found = references().filter(([reference]) => reference.endsWith(selector.slice(selector.indexOf("-"))));
      return found.length === 1 ? { element: found[0][1] } : { problem: "changed" };
    }
    let all;
    try {
      all = Array.from(document.querySelectorAll(selector));
    } catch (error) {
      return { problem: "selector" };
    }
    const seen = all.filter(visible);
    if (!all.length) return { problem: "none" };
    if (!seen.length) return { problem: "hidden", count: all.length };
    if (seen.length > 1) return { problem: "many", count: seen.length };
    return seen[0].disabled ? { problem: "disabled" } : { element: seen[0] };
  }

  function describe(selector) {
    const { element, problem, count } = find(selector);
    if (problem) return { problem, count: count || 0 };
    const field = isField(element) && !element.readOnly;
    return {
      tag: element.localName, role: roleOf(element), name: nameOf(element), field,
      value: field && !secret(element) ? clean(element.value) : null, opens: clean(element.href),
      submits: element.form && ["submit", "image"].includes(element.type) ? clean(element.getAttribute("formaction") === null ? element.form.action : element.formAction) : "",
    };
  }

  function isSame(selector, expected) {
    const now = describe(selector);
    return JSON.stringify([now.tag, now.role, now.name, now.value, now.opens, now.submits]) === JSON.stringify(expected);
  }

  const functions = {
    look() {
      return { url: clean(document.URL), title: brief(document.title), loaded: loaded(), ready: document.readyState === "complete" };
    },
    text(limit) {
      const points = Array.from(clean(document.body ? document.body.innerText : ""));
      return { text: points.slice(0, limit).join(""), total: points.length };
    },
    links(most) {
      return Array.from(document.querySelectorAll("a[href], area[href]")).slice(0, most)
        .map((link) => ({ text: brief(link.innerText), href: clean(link.href) }));
    },
    outline(most) {
      const all = references();
      return { total: all.length, rows: all.slice(0, most).map(([reference, one]) => ({
        reference, role: roleOf(one), name: nameOf(one), opens: brief(one.href),
        value: isField(one) && !secret(one) ? brief(one.value) : "",
      })) };
    },
    element: describe,
    click(selector, expected) {
      const found = find(selector);
      if (found.problem || !isSame(selector, expected)) return { problem: "changed" };
      found.element.click();
      return { done: true };
    },
    fill(selector, value, expected) {
      const found = find(selector);
      if (found.problem || !isSame(selector, expected)) return { problem: "changed" };
      const one = found.element;
      if (one.localName === "select") {
        const choice = Array.from(one.options).find((each) => each.value === value || each.text === value);
        if (!choice) return { problem: "option" };
        one.value = choice.value;
      } else {
        // The setter of the class, because frameworks replace the one of the element.
        const owner = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(one), "value");
        if (owner && owner.set) owner.set.call(one, value);
        else one.value = value;
      }
      one.dispatchEvent(new Event("input", { bubbles: true }));
      one.dispatchEvent(new Event("change", { bubbles: true }));
      return { done: true, now: describe(selector) };
    },
  };
  const state = functions.look();
  return JSON.stringify({ page: state, answer: functions[name].apply(null, data) });
})
