// What sayso did lately, in numbers: small charts that the server draws, each with the same numbers as a table.

import { api } from "./api.js";
import { fill, make, prose } from "./parts.js";
import { keep } from "./rows.js";

class Chart extends HTMLElement {
  picture = make("div", {});
  said = make("p", {});
  rows = make("tbody", {});
  head = make("h2", {});

  /** @param {any} one */
  show(one) {
    fill(this.head, one.title);
    fill(this.said, one.says);
    prose(this.picture, one.svg);
    fill(this.rows, ...one.rows.map((/** @type {string[]} */ [label, value]) => make("tr", {}, make("th", { scope: "row" }, label), make("td", {}, value))));
    if (!this.firstChild) this.append(make("article", {}, this.head, this.picture, this.said, make("details", {}, make("summary", {}, "As a table"), make("table", {}, this.rows))));
  }
}

class Numbers extends HTMLElement {
  connectedCallback() {
    this.about = make("p", { class: "quiet" });
    this.charts = make("div", { class: "charts" });
    fill(this, make("h1", {}, "Numbers"), this.about, this.charts);
  }

  async refresh() {
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const { days, cut, charts } = await api.numbers();
    if (asked !== this.asked) return;
    fill(/** @type {Element} */ (this.about), `The last ${days} days${cut ? ", as far as the newest actions go" : ""}.`);
    keep(/** @type {Element} */ (this.charts), charts, (one) => one.title, () => document.createElement("sayso-chart"));
  }
}

customElements.define("sayso-chart", Chart);
customElements.define("sayso-numbers", Numbers);
