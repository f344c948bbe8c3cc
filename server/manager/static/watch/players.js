// The players beside the board: goals, clocks, what they expect, and the pieces that are gone.

import { byId, element, number } from "../page.js";
import { clock, fault } from "./words.js";

const AHEAD = 6; // joint moves of a variation that are shown
const RATED = 1000; // states of a search from which it is worth to say how fast it was

/** Show the players of a match at a step. */
export function showPlayers(match, step, notation, seat, explore = null) {
  if (!match.roles.length) return; // the match has not begun
  const isLatest = step === match.states - 1;
  const goals = isLatest && match.final ? match.final : match.goals[step] ?? [];
  const { moves, errors = [] } = match.steps[step - 1] ?? {};
  byId("players").replaceChildren(...match.roles.map((role, index) => {
    const info = thoughts(match, step, index);
    const goal = goals[index] ?? null;
    return element("div", { class: `player tone-${match.tones[index]}${isLatest && match.isToMove(index) ? " moves-now" : ""}`, "data-role": role },
      element("div", { class: "line" },
        element("span", { class: "role" }, role),
        element("span", { class: "name" }, `${match.players[index] ?? ""}${seat.roles.has(index) ? " (you)" : ""}`),
        element("span", { class: "clock", "data-clock": index }),
        element("span", { class: "goal", title: "goal", "aria-label": `goal ${goal ?? "none"}` }, goal === null ? "–" : String(goal))),
      info ? showInfo(info, notation, explore && ((line) => explore(info, line))) : null,
      errors[index] ? element("span", { class: "error-note" }, fault(role, errors[index], notation.label(moves[index]))) : null);
  }));
  showClocks(match);
}

/** Write the clocks of all players; called several times a second. */
export function showClocks(match) {
  for (const shown of document.querySelectorAll("[data-clock]")) {
    const role = Number(shown.dataset.clock), turn = match.turn;
    const used = match.used(role);
    const isToMove = match.isToMove(role);
    let text = used ? `${clock(used)} in all` : "";
    let isShort = false;
    if (turn && isToMove) {
      const passed = Math.max(0, match.now() - turn.time);
      const left = match.playClock - passed;
      const isFree = match.takeTime && match.people.has(role);
      text = isFree ? clock(passed) : clock(Math.max(0, left), true);
      isShort = !isFree && left < Math.min(5, match.playClock / 3);
    } else if (turn && match.choices[turn.turn]?.[role] > 1 && turn.answered.has(role)) text = "has moved";
    if (shown.textContent !== text) shown.textContent = text;
    shown.classList.toggle("short", isShort);
    shown.classList.toggle("running", isToMove);
  }
}

/** Return what a player thinks at a step, from the events of the match or from the record. */
function thoughts(match, step, role) {
  if (step === match.states - 1 && match.infos[role]?.turn === step) return match.infos[role];
  const at = (info, turn) => (info ? { turn, ...info } : null); // the turn in which it was thought
  const before = step ? at(match.steps[step - 1]?.search?.[role], step - 1) : at(match.startSearch[role], 0);
  return at(match.steps[step]?.search?.[role], step) ?? before ?? match.infos[role] ?? null;
}

function showInfo(info, notation, explore) {
  const value = info.value === null || info.value === undefined ? "?" : Number(info.value).toFixed(info.proven ? 0 : 1);
  return element("p", { class: "info" },
    "expects ", element("b", {}, value), info.proven ? " (proven)" : "",
    info.depth ? `, ${info.depth} ahead` : "",
    info.nodes >= RATED && info.seconds && !info.proven ? `, ${number(Math.round(info.nodes / Math.max(info.seconds, 0.001)))} nodes/s` : "",
    info.variation?.length ? element("span", { class: "variation" }, ": ", ...variation(info.variation.slice(0, AHEAD), notation, explore)) : "");
}

/** Return the joint moves of a variation; each leads to the explorer, if `explore` gives the address of a line. */
function variation(line, notation, explore) {
  return line.flatMap((moves, at) => [
    at ? " → " : "", explore ? element("a", { href: explore(line.slice(0, at + 1)) }, notation.joint(moves)) : notation.joint(moves),
  ]);
}

/** Show the pieces that stood on the board at the beginning and are gone. */
export function showGone(roles, first, now) {
  const before = count(first), after = count(now);
  const total = (counts) => [...counts.values()].reduce((sum, { times }) => sum + times, 0);
  const gone = [...before].map(([key, { item, times }]) => ({ item, times: times - (after.get(key)?.times ?? 0) })).filter(({ times }) => times > 0);
  const isShown = roles.length > 1 && total(after) < total(before) && gone.length > 0;
  byId("gone").hidden = !isShown;
  byId("gone-pieces").replaceChildren(...(isShown ? gone : []).map(({ item, times }) => element("span", { class: "gone-piece", "aria-label": `${times} ${item.text}` },
    element("span", { class: `piece tone-${item.tone}`, "data-content": item.text, "data-form": item.form, title: item.text }, item.label),
    times > 1 ? `×${times}` : "")));
}

function count(scene) {
  const counts = new Map();
  for (const item of Object.values(scene.cells).flat()) {
    if (item.kind !== "piece" || item.blank) continue;
    const key = `${item.form} ${item.text}`;
    counts.set(key, { item, times: (counts.get(key)?.times ?? 0) + 1 });
  }
  return counts;
}
