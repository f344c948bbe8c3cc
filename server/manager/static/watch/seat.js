// Who sits at this page: the key of a seat, or of the browser that began the match.

import { ask, byId, element } from "../page.js";

export class Seat {
  /** Take the key from the address, which no longer shows it then, or from an earlier visit. */
  constructor(id, api) {
    this.api = api;
    this.roles = new Set();
    this.isHost = false;
    this.view = "";
    this.id = id;
    const name = `key ${id}`;
    const told = new URLSearchParams(location.hash.slice(1));
    const key = told.get("key");
    if (key) {
      sessionStorage.setItem(name, key);
      if (localStorage.getItem(name) === null) localStorage.setItem(name, key);
      told.delete("key");
      history.replaceState(null, "", `${location.pathname}${location.search}${String(told) ? `#${told}` : ""}`);
    }
    this.key = sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? "";
  }

  /** Ask for which roles the key moves. */
  async take() {
    if (!this.key) return;
    const found = await ask(`${this.api}/seat`, { key: this.key });
    this.roles = new Set(found.roles);
    this.isHost = found.is_host;
    this.view = found.view;
    this.links = found.links;
    if (this.isHost) localStorage.setItem(`host ${this.id}`, this.key); // the home page offers to end the match
  }

  get isTaken() { return this.isHost || this.roles.size > 0; }

  move(role, turn, move) { return ask(`${this.api}/moves`, { key: this.key, role, turn, move }); }

  takeBack(step) { return ask(`${this.api}/take-back`, { key: this.key, step }); }

  giveUp(role) { return ask(`${this.api}/give-up`, { key: this.key, role }); }

  abort() { return ask(`${this.api}/abort`, { key: this.key }); }

  /** Show the links of the seats to the host, who may send them to others. */
  showLinks(roles) {
    const links = Object.entries(this.links ?? {});
    byId("seats").hidden = !links.length;
    byId("seat-links").replaceChildren(...links.map(([role, path]) => {
      const link = new URL(path, location.href).href;
      const field = element("input", { readonly: true, value: link, "aria-label": `link of ${roles[role]}`, on: { focus: () => field.select() } });
      const copy = element("button", { type: "button", on: { click: async () => {
        field.select();
        try { await navigator.clipboard.writeText(link); copy.textContent = "Copied"; } catch { document.execCommand("copy"); }
      } } }, "Copy");
      return element("p", { class: "seat-link" }, element("b", {}, roles[role]), field, copy);
    }));
  }
}
