// What the players of a record thought before each move, as a table.

import { byId, element, number } from "./page.js";

const COLUMNS = ["#", "role", "value", "depth", "nodes", "time"];

/**
 * Fill the table. `search` has for each step what each role thought, or null; `startSearch` is that of the start clock; `go` shows a
 * step.
 */
export function listThoughts({ roles, search, startSearch }, notation, go) {
  const listed = (thoughts, step, name) => thoughts.map((thought, role) => thought && row(thought, step, name, roles[role], notation, go)).filter(Boolean);
  const rows = [...listed(startSearch, 0, "start"), ...search.flatMap((thoughts, step) => listed(thoughts, step, String(step + 1)))];
  byId("thoughts").hidden = !rows.length;
  byId("thought-list").replaceChildren(element("table", {},
    element("thead", {}, element("tr", {}, ...COLUMNS.map((name, at) => element("th", { scope: "col", class: at > 1 ? "number" : null }, name)), element("th", { scope: "col" }, "expects"))),
    element("tbody", {}, ...rows)));
}

/** Mark what was thought in a state. */
export function markThoughts(step) {
  for (const row of document.querySelectorAll("#thought-list tbody tr")) {
    if (Number(row.dataset.step) === step) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }
}

function row({ value, proven, depth, nodes, simulations, seconds, variation }, step, name, role, notation, go) {
  const cells = [
    value === null ? "–" : `${Number(value).toFixed(proven ? 0 : 1)}${proven ? " proven" : ""}`,
    number(depth),
    simulations === undefined ? number(nodes) : `${number(nodes)} (${number(simulations)} playouts)`,
    seconds === undefined ? "–" : `${Number(seconds).toFixed(2)} s`,
  ];
  return element("tr", { "data-step": step },
    element("td", {}, element("button", { type: "button", "aria-label": `to the state before move ${step + 1}`, on: { click: () => go(step) } }, name)),
    element("td", {}, role),
    ...cells.map((text) => element("td", { class: "number" }, text)),
    element("td", { class: "moves" }, (variation ?? []).map((moves) => notation.joint(moves)).join(" → ")));
}
