// The goals and the legal moves of a state, for pages on which one person moves for all roles.

import { element, number } from "./page.js";

const MAX_SHOWN = 400; // moves of a list that are shown before more is asked for

/** Show what each role has in a state, and who is to move. */
export function showGoals(root, layout, found) {
  root.replaceChildren(...layout.roles.map((role, index) => element("div", { class: `player tone-${layout.tones[index]}` },
    element("div", { class: "line" }, element("span", { class: "role" }, role),
      element("span", { class: "name" }, found.legal?.[index]?.length > 1 ? "to move" : ""),
      element("span", { class: "goal" }, found.goals[index] === null ? "–" : String(found.goals[index]))))));
}

/**
 * Offer the legal moves of a state, in lists and on the board. Calls `onMoves` with a joint move
 * once every role has one, and `onNext` with the name of a role that is to choose, too.
 */
export function offerMoves(root, found, { layout, scene, notation, onMoves, onNext }) {
  const choice = (found.legal ?? []).map((moves) => (moves.length === 1 ? moves[0].move : null));
  const open = choice.map((_, role) => role).filter((role) => found.legal[role].length > 1);
  const lists = open.map((role) => {
    const part = element("fieldset", {}, element("legend", {}, layout.roles[role]));
    const inside = element("div");
    part.append(inside);
    const list = new MoveList(inside, (move) => choose(role, move), notation);
    list.show(found.legal[role], choice[role]);
    return { role, part, list };
  });
  root.replaceChildren(...lists.map(({ part }) => part));
  const stuck = choice.map((_, role) => role).filter((role) => !found.legal[role].length);
  if (found.terminal) root.replaceChildren(element("p", { class: "muted" }, "None: the game is over."));
  else if (stuck.length) root.replaceChildren(element("p", { class: "problem" }, `${stuck.map((role) => layout.roles[role]).join(", ")}: no legal move, though the game is not over.`));
  else if (!open.length) root.replaceChildren(element("button", { class: "primary", on: { click: () => onMoves(choice) } }, `The only joint move: ${choice.join(", ")}`));
  if (found.terminal || stuck.length) scene.offer([]);
  else if (!open.length) scene.offer(found.legal.flat(), () => onMoves(choice));
  else offer(open[0]);

  function choose(role, move) {
    choice[role] = move;
    if (choice.every((each) => each !== null)) { onMoves(choice); return; }
    lists.find((each) => each.role === role).list.show(found.legal[role], move);
    const next = open.find((each) => choice[each] === null);
    onNext(layout.roles[next]);
    offer(next);
  }

  function offer(role) {
    const moves = found.legal[role];
    scene.offer(moves, (move) => choose(role, move), (left) => lists.find((each) => each.role === role)?.list.show(left ?? moves, choice[role]));
  }
}

/** A list of moves with a field that searches it. */
export class MoveList {
  constructor(root, onMove, notation) {
    this.onMove = onMove;
    this.notation = notation;
    this.moves = [];
    this.limit = MAX_SHOWN;
    this.search = element("input", { type: "search", class: "move-search", placeholder: "search the moves", "aria-label": "search the moves" });
    this.search.addEventListener("input", () => this.draw());
    this.search.addEventListener("keydown", (event) => {
      const left = this.left();
      if (event.key === "Enter" && left.length === 1) { event.preventDefault(); this.onMove(left[0].move); }
    });
    this.list = element("ul", { class: "move-list" });
    this.more = element("p", { class: "small muted" });
    root.replaceChildren(this.search, this.list, this.more);
  }

  /** Show moves; `pressed` is the one that is chosen already. */
  show(moves, pressed = null) {
    this.moves = moves;
    this.pressed = pressed;
    this.limit = MAX_SHOWN;
    this.draw();
  }

  /** Give the keyboard to the field, or to the first move where there are few. */
  focus() { (this.search.hidden ? this.list.querySelector("button") : this.search)?.focus({ preventScroll: true }); }

  left() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = this.moves.map((move) => `${move.move} ${this.notation.label(move.move)}`.toLowerCase());
    const together = this.moves.filter((_, at) => texts[at].includes(words.join(" ")));
    return together.length ? together : this.moves.filter((_, at) => words.every((word) => texts[at].includes(word)));
  }

  draw() {
    const left = this.left();
    this.list.replaceChildren(...left.slice(0, this.limit).map(({ move }) => element("li", {}, element("button", {
      type: "button", "aria-pressed": this.pressed === null ? null : String(this.pressed === move),
      "data-move": move, title: move, on: { click: () => this.onMove(move) },
    }, this.notation.label(move)))));
    this.search.hidden = this.moves.length < 8;
    this.more.hidden = left.length <= this.limit;
    this.more.replaceChildren(`${number(this.limit)} of ${number(left.length)} moves are shown. `,
      element("button", { type: "button", on: { click: () => { this.limit = Infinity; this.draw(); } } }, "Show all"));
  }
}
