// The moves of a match: a row for each step, without the roles that had nothing to choose.

import { byId, element } from "../page.js";
import { isIdle } from "./notation.js";
import { fault } from "./words.js";

/** Show the moves; `go` is called with the number of a step. */
export function showHistory(match, step, notation, go) {
  const rows = match.steps.map(({ moves, errors = [], seconds = [] }, index) => {
    const made = moves.map((move, role) => ({ move, role })).filter(({ role }) => !isIdle(moves, match.choices[index], role));
    return element("tr", { "aria-current": step === index + 1 ? "step" : null },
      element("td", { class: "number" }, element("button", { type: "button", "aria-label": `to the state after move ${index + 1}`, on: { click: () => go(index + 1) } }, String(index + 1))),
      element("td", { class: "moves" }, ...(made.length ? made : [{ move: moves[0], role: 0 }]).map(({ move, role }) => element("span", { class: `made tone-${match.tones[role] ?? "plain"}` },
        element("span", { class: "dot", title: match.roles[role], role: "img", "aria-label": match.roles[role] }),
        notation.shown(move),
        match.marks?.has(`${index} ${role}`) ? element("span", { class: "mark" }, match.marks.get(`${index} ${role}`)) : null,
        errors[role] ? element("span", { class: "error-note", title: fault(match.roles[role], errors[role]) }, ` ${errors[role].split(" ")[0] === "TO" ? "too late" : errors[role].split(" ")[0]}`) : null))),
      element("td", { class: "number muted" }, made.map(({ role }) => seconds[role]).filter((value) => value !== undefined && value !== null).map((value) => `${value.toFixed(1)} s`).join(", ")));
  });
  const root = byId("history");
  root.replaceChildren(element("table", {}, element("tbody", {}, ...rows)));
  const current = root.querySelector("[aria-current]");
  if (current) root.scrollTop = current.offsetTop - root.clientHeight / 2; // the page itself stays
}
