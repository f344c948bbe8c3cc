// A table that can be sorted by each column and searched; it shows the first rows, and more on demand.

import { element } from "./page.js";

const FIRST = 50; // rows, before more are wanted

/**
 * A table of things. A column is { name, cell, key, className, isNumber, isUnseen }: `cell` makes the
 * content of a cell of a thing, `key` returns what it is sorted by (null comes last); an unseen
 * column has a name for screen readers only, and is not sorted. `words` returns the text of a
 * thing that a search looks at; `onCount` takes how many are found.
 */
export class SortedTable {
  #root; #options; #things = []; #by = 0; #isDown = true; #wanted = []; #limit = FIRST;

  constructor(root, options) {
    this.#root = root;
    this.#options = options;
    this.#isDown = options.isDown ?? true;
  }

  /** Show other things. */
  fill(things) {
    this.#things = things;
    this.#show();
  }

  /** Show only things that contain each of some words. */
  search(text) {
    this.#wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.#limit = FIRST;
    this.#show();
  }

  #sort(number) {
    const { columns } = this.#options;
    this.#isDown = number === this.#by ? !this.#isDown : Boolean(columns[number].isNumber);
    this.#by = number;
    this.#show();
    this.#root.querySelectorAll("th")[number].querySelector("button").focus();
  }

  #show() {
    const { columns, label, words, onCount } = this.#options;
    const found = this.#things.filter((thing) => { const text = words(thing).toLowerCase(); return this.#wanted.every((word) => text.includes(word)); });
    const { key } = columns[this.#by];
    const sign = this.#isDown ? -1 : 1;
    found.sort((a, b) => compared(key(a), key(b), sign));
    // The roles are written down because a stylesheet may lay the rows out as cards on a phone.
    const head = columns.map(({ name, isNumber, isUnseen }, number) => element("th", {
      role: "columnheader", class: isNumber ? "number" : null, "aria-sort": number === this.#by ? (this.#isDown ? "descending" : "ascending") : null,
    }, isUnseen ? element("span", { class: "unseen" }, name)
      : element("button", { type: "button", on: { click: () => this.#sort(number) } }, name, element("span", { class: "arrow", "aria-hidden": "true" }, number === this.#by ? (this.#isDown ? " ▼" : " ▲") : ""))));
    const rows = found.slice(0, this.#limit).map((thing) => element("tr", { role: "row" }, ...columns.map(({ cell, isNumber, className }) =>
      element("td", { role: "cell", class: [isNumber ? "number" : "", className ?? ""].join(" ").trim() || null }, cell(thing)))));
    const more = found.length > this.#limit ? element("button", { type: "button", on: { click: () => { this.#limit = Infinity; this.#show(); } } }, `Show all ${found.length}`) : null;
    const table = element("table", { role: "table", class: "sorted", "aria-label": label },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...head)), element("tbody", { role: "rowgroup" }, ...rows));
    this.#root.replaceChildren(...[this.#things.length ? table : null, more].filter(Boolean));
    onCount(found.length, this.#things.length);
  }
}

function compared(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
}
