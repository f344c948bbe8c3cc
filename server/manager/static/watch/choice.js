// Moves that are no place on the board: buttons below it, and a choice beside a cell where several moves end.

import { byId, element } from "../page.js";

const GLYPHS = { king: "♚", queen: "♛", rook: "♜", bishop: "♝", knight: "♞", pawn: "♟" };

/** Show a button for each move that names nothing and changes no place of its own, such as a pass. */
export function showButtons(root, moves, notation, take) {
  const buttons = moves.filter(({ button }) => button);
  root.hidden = !buttons.length;
  root.replaceChildren(...buttons.map(({ move, button }) => element("button", { type: "button", "data-move": move, title: move, on: { click: () => take(move) } },
    button === "pass" ? `Pass (${move})` : notation.label(move))));
}

/** Let a person choose between moves that name the same cells; `onEnd` is called with the move, or null. */
export function showChoice(moves, place, onEnd) {
  const root = byId("choice");
  const end = (move) => { root.hidden = true; root.replaceChildren(); onEnd(move); };
  root.replaceChildren(...differences(moves).map((label, at) => element("button", { type: "button", title: moves[at].move, "data-move": moves[at].move, on: { click: () => end(moves[at].move) } }, label)),
    element("button", { type: "button", class: "small", "aria-label": "choose another move", on: { click: () => end(null) } }, "✕"));
  root.onkeydown = (event) => { if (event.key === "Escape") { event.stopPropagation(); end(null); } };
  root.hidden = false;
  const stage = root.parentElement.getBoundingClientRect(), cell = place.getBoundingClientRect();
  root.style.left = `${Math.max(4, Math.min(cell.left - stage.left, stage.width - root.offsetWidth - 4))}px`;
  root.style.top = `${Math.max(4, cell.bottom - stage.top + 4)}px`;
  root.querySelector("button").focus({ preventScroll: true });
}

/** Hide the choice that is shown, if one is. */
export function hideChoice() {
  byId("choice").hidden = true;
  byId("choice").replaceChildren();
}

/** Return for each move the words in which it differs from the others. */
function differences(moves) {
  const words = moves.map(({ move }) => move.replace(/[()]/g, " ").trim().split(/\s+/));
  const isSame = (at) => words.every((each) => each[at] === words[0][at]);
  return words.map((each) => each.filter((_, at) => !isSame(at)).map((word) => (GLYPHS[word.toLowerCase()] ? `${GLYPHS[word.toLowerCase()]} ${word}` : word)).join(" ") || each.join(" "));
}
