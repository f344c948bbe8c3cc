// Moves as people write them: `b1-c3` for (move b 1 c 3). The term itself is shown on hover.

import { element } from "../page.js";

export class Notation {
  /** Take the layout of a game, whose places have short names. */
  constructor(layout) {
    const names = layout.boards.flatMap((board) => board.spots.map((spot) => spot.name));
    this.places = new Map(names.map((name) => [name, short(name)]));
    this.longest = Math.max(1, ...names.map((name) => name.split(" ").length));
    this.labels = new Map();
  }

  /** Return a move without parentheses, with the places that it names joined by hyphens. */
  label(move) {
    if (move === null) return "?"; // a move that the rules hide
    if (!this.labels.has(move)) this.labels.set(move, this.write(move));
    return this.labels.get(move);
  }

  /** Return a joint move: the moves of the roles that had a choice, by the numbers of legal moves if these are known. */
  joint(moves, choices = null) {
    return moves.filter((_, role) => !isIdle(moves, choices, role)).map((move) => this.label(move)).join(" + ") || this.label(moves[0]);
  }

  /** Return an element with a move. */
  shown(move) {
    return element("span", { class: "move", title: move }, this.label(move));
  }

  write(move) {
    const words = move.replace(/[()]/g, " ").trim().split(/\s+/);
    if (words.length < 2) return words[0];
    const parts = []; // { text, isPlace }
    for (let at = 1; at < words.length;) {
      const length = this.placeAt(words, at);
      if (length) parts.push({ text: this.places.get(words.slice(at, at + length).join(" ")), isPlace: true });
      else parts.push({ text: words[at], isPlace: false });
      at += length || 1;
    }
    const told = parts.map(({ text, isPlace }, at) => (at && isPlace && parts[at - 1].isPlace ? `-${text}` : `${at ? " " : ""}${text}`)).join("");
    const isWay = parts.filter(({ isPlace }) => isPlace).length > 1;
    return isWay && words[0].toLowerCase() === "move" ? told : `${words[0]} ${told}`;
  }

  placeAt(words, at) {
    for (let length = Math.min(this.longest, words.length - at); length > 0; length -= 1) {
      if (this.places.has(words.slice(at, at + length).join(" "))) return length;
    }
    return 0;
  }
}

/** Return whether a role had nothing to choose in a step in which another one had. */
export function isIdle(moves, choices, role) {
  if (moves[role] === null) return true; // the rules hide it
  if (choices?.some((count) => count > 1)) return choices[role] === 1;
  const isNoop = (move) => move.toLowerCase() === "noop";
  return isNoop(moves[role]) && !moves.every((move) => move !== null && isNoop(move));
}

function short(name) {
  const parts = name.split(" ");
  const isClear = parts.some((part) => !/^\d+$/.test(part)) && parts.every((part) => part.length <= 2);
  return parts.join(isClear ? "" : ",");
}
