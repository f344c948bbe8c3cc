// The end of a match for those who played: who won, and what to do next.

import { ask, byId } from "../page.js";
import { listed, playing, result } from "./words.js";

/** Return in a word how the match ended for the roles of a page; empty for a watcher. */
export function outcome(roles, goals, own) {
  if (!goals || !own.size) return "";
  const players = playing(roles);
  const best = Math.max(...players.map((at) => goals[at]));
  if (players.length === 1) return goals[players[0]] === 100 ? "Solved" : `You got ${goals[players[0]]} of 100`;
  if (own.size > 1) return "";
  const [mine] = own;
  if (goals[mine] < best) return "You lost";
  return players.filter((at) => goals[at] === best).length > 1 ? "A draw" : "You won";
}

/** Show the end of a match beside its board. */
export function showEnding(match, seat, data) {
  const isOver = match.final !== null;
  byId("ending").hidden = !isOver || !seat.isTaken;
  if (byId("ending").hidden) return;
  const word = outcome(match.roles, match.final, seat.roles);
  const told = match.final ? result(match.roles, match.final) : match.remark;
  byId("ending-title").textContent = word || listed([told]);
  byId("ending-told").textContent = word ? [told.startsWith(word) ? "" : told, match.remark].filter(Boolean).join(". ") : "";
  byId("ending").dataset.outcome = word;
  byId("again").hidden = !seat.isHost;
  byId("swap").hidden = !seat.isHost || playing(match.roles).length < 2;
  byId("analyse").hidden = !data.game;
  byId("analyse").href = `/records/${encodeURIComponent(data.id)}#step=0`;
}

/** Let the buttons of the ending begin another match. */
export function connectEnding(seat, problem) {
  for (const [id, isSwapped] of [["again", false], ["swap", true]]) {
    byId(id)?.addEventListener("click", async (event) => {
      event.target.disabled = true;
      try {
        location.assign((await ask(`${seat.api}/again`, { key: seat.key, swap: isSwapped })).url);
      } catch (error) {
        event.target.disabled = false;
        problem(error.message);
      }
    });
  }
}
