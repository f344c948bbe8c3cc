// Draws states and turns clicks into moves. A board is a set of spots with places; each state brings
// their contents. docs/manager.md lists the elements for a game's stylesheet.

import { element } from "./page.js";

const MARGIN = 0.15;
const MAX_CELL = 84; // pixels
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Scene {
  /** Draw into an element. `layout` is the game's; `key` names it, for how the board is turned. */
  constructor(root, layout, key) {
    this.root = root;
    this.layout = layout;
    this.key = `turn ${key}`;
    this.turns = Number(localStorage.getItem(this.key) ?? 0) % 4;
    this.moves = [];
    this.chosen = [];
    this.shown = null;
    this.before = null;
    this.build();
  }

  /** Turn all boards by a quarter. */
  turn() {
    this.turns = (this.turns + 1) % 4;
    localStorage.setItem(this.key, this.turns);
    this.build();
    if (this.shown) this.show(this.shown);
    this.offer(this.moves, this.onMove, this.onNarrow);
  }

  /** Turn the boards around for who sees them from the other side, unless a person has turned them. */
  face(isOther) {
    if (localStorage.getItem(this.key) !== null || this.turns === (isOther ? 2 : 0)) return;
    this.turns = isOther ? 2 : 0;
    this.build();
    if (this.shown) this.show(this.shown, this.before);
    this.offer(this.moves, this.onMove, this.onNarrow);
  }

  /** Mark the spots that decided the game, such as a line; an empty list takes the marks away. */
  markDecisive(ids) {
    for (const [id, spot] of this.spots) spot.shown.classList.toggle("decisive", ids.includes(id));
  }

  /** Show a state; `before` is the one before it, for what has changed. */
  show(scene, before = null) {
    this.shown = scene;
    this.before = before;
    for (const [id, spot] of this.spots) this.fill(spot, scene.cells[id] ?? [], before?.cells[id] ?? (before ? [] : null));
    this.showHands(scene.hands);
    this.showTable(scene.table, before?.table ?? null);
    this.markClickable();
  }

  /**
   * Offer moves to be clicked. Calls `onMove` with the one that was clicked, and `onNarrow` with
   * those that are left while there are several.
   */
  offer(moves, onMove = () => {}, onNarrow = () => {}) {
    this.moves = moves;
    this.onMove = onMove;
    this.onNarrow = onNarrow;
    this.choose([]);
  }

  // Building

  build() {
    this.spots = new Map();
    this.root.replaceChildren(
      ...this.layout.boards.map((board) => this.buildBoard(board)),
      this.hands = element("div", { class: "hands" }),
      this.table = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What else is true" }),
    );
  }

  place({ x, y }) {
    for (let turn = 0; turn < this.turns; turn += 1) [x, y] = [y, -x];
    return [x, -y];
  }

  buildBoard(board) {
    const isTurned = this.turns % 2 === 1;
    const half = board.shape === "hex" ? 0.58 : 0.5;
    const points = board.spots.map((spot) => this.place(spot));
    const captions = board.captions.map((caption) => this.place(caption));
    const xs = [...points, ...captions].map(([x]) => x), ys = [...points, ...captions].map(([, y]) => y);
    const reach = captions.length && board.shape !== "hex" ? Math.min(half, 0.5) : half;
    const left = Math.min(...points.map(([x]) => x - half), ...xs.map((x) => x - reach * 0.6)) - MARGIN;
    const right = Math.max(...points.map(([x]) => x + half), ...xs.map((x) => x + reach * 0.6)) + MARGIN;
    const top = Math.min(...points.map(([, y]) => y - half), ...ys.map((y) => y - reach * 0.6)) - MARGIN;
    const bottom = Math.max(...points.map(([, y]) => y + half), ...ys.map((y) => y + reach * 0.6)) + MARGIN;
    const width = right - left, height = bottom - top;
    const at = ([x, y]) => [(100 * (x - left)) / width, (100 * (y - top)) / height];

    const frame = element("div", { class: `board ${board.shape}`, role: "group", "aria-label": `board ${board.name}`, "data-board": board.name });
    frame.style.setProperty("--across", width);
    frame.style.aspectRatio = `${width} / ${height}`;
    frame.style.maxWidth = `min(${Math.round(width * MAX_CELL)}px, calc(82vh * ${(width / height).toFixed(4)}))`;
    frame.addEventListener("keydown", (event) => this.walk(event));
    if (board.edges.length) frame.append(this.buildEdges(board, points.map(at)));
    board.captions.forEach((caption, number) => {
      const shown = element("span", { class: "caption", "aria-hidden": "true" }, caption.text);
      [shown.style.left, shown.style.top] = at(captions[number]).map((value) => `${value}%`);
      frame.append(shown);
    });
    // In reading order: top to bottom, left to right.
    const order = points.map((_, number) => number).sort((a, b) => points[a][1] - points[b][1] || points[a][0] - points[b][0]);
    order.forEach((number, place) => {
      const spot = board.spots[number];
      const isOdd = board.shape === "square" && (Math.round(spot.x) + Math.round(spot.y)) % 2 !== 0;
      const shown = element("button", {
        type: "button", class: `spot ${board.shape}${isOdd ? " odd" : ""}${isTurned ? " turned" : ""}`,
        "data-spot": spot.id, "data-name": spot.name, tabindex: place ? -1 : 0,
        on: { click: () => this.click(spot.id) },
      });
      [shown.style.left, shown.style.top] = at(points[number]).map((value) => `${value}%`);
      frame.append(shown);
      this.spots.set(spot.id, { id: spot.id, name: spot.name, shown, at: points[number], board: frame, isNamed: board.shape === "round" && spot.name.length < 6 });
    });
    const parts = this.layout.boards.length > 1 ? [element("p", { class: "board-name" }, board.name)] : [];
    return element("div", {}, ...parts, frame);
  }

  buildEdges(board, places) {
    const where = new Map(board.spots.map((spot, number) => [spot.id, places[number]]));
    const space = "http://www.w3.org/2000/svg";
    const drawing = document.createElementNS(space, "svg");
    drawing.setAttribute("class", "edges");
    drawing.setAttribute("viewBox", "0 0 100 100");
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("aria-hidden", "true");
    for (const [one, other] of board.edges) {
      const line = document.createElementNS(space, "line");
      [["x1", where.get(one)[0]], ["y1", where.get(one)[1]], ["x2", where.get(other)[0]], ["y2", where.get(other)[1]]]
        .forEach(([name, value]) => line.setAttribute(name, value));
      drawing.append(line);
    }
    return drawing;
  }

  // Filling

  fill(spot, items, before) {
    const pieces = items.filter((item) => item.kind === "piece" && !item.blank);
    const marks = items.filter((item) => item.kind === "mark" && !item.blank);
    const notes = items.filter((item) => item.kind === "note");
    const children = pieces.map((item) => element("span", {
      class: `piece tone-${item.tone}${item.label.length > 2 ? " longer" : item.label.length > 1 ? " long" : ""}${/[\u2650-\u265f]/.test(item.label) ? " glyph" : ""}`,
      "data-content": item.text, "data-form": item.form,
    }, item.label));
    if (marks.length) children.push(element("span", { class: "mark-name", "data-form": marks[0].form }, marks.map((item) => item.label).join(" ")));
    if (notes.length) children.push(element("span", { class: "note" }, notes.slice(0, 2).map((item) => item.label).join(" ") + (notes.length > 2 ? "…" : "")));
    if (!pieces.length && spot.isNamed) children.push(element("span", { class: "spot-name", "aria-hidden": "true" }, spot.name));
    spot.shown.replaceChildren(...children);
    const told = [...pieces, ...marks, ...notes].map((item) => (item.kind === "piece" ? item.text : `${item.form} ${item.text}`));
    spot.told = told.join(", ") || "empty";
    spot.shown.dataset.content = pieces.map((item) => item.text).join(" ");
    spot.shown.classList.toggle("marked", marks.length > 0);
    const asText = (list) => JSON.stringify(list.filter((item) => item.kind !== "note").map((item) => [item.form, item.text]));
    spot.shown.classList.toggle("changed", before !== null && asText(before) !== asText(items));
  }

  showHands(hands) {
    this.cards = new Map();
    this.hands.replaceChildren(...hands.map((hand) => element("div", { class: "hand", "data-hand": hand.name, "data-owner": hand.owner },
      element("h3", {}, hand.owner ? `${hand.name}: ${hand.owner}` : hand.name),
      element("div", { class: "cards" }, ...hand.cards.map((card) => {
        const shown = element("button", {
          type: "button", class: `card tone-${card.tone}`, "data-card": card.text, "data-suit": card.suit,
          on: { click: () => this.click(card.id) },
        }, element("span", {}, card.text), element("span", { class: "suit" }, card.suit));
        this.cards.set(card.id, [...(this.cards.get(card.id) ?? []), shown]);
        return shown;
      })),
    )));
    this.hands.hidden = !hands.length;
  }

  showTable(table, before) {
    const old = new Set((before ?? []).flatMap(({ name, rows }) => rows.map((row) => JSON.stringify([name, row]))));
    const rows = table.map(({ name, rows, more }) => element("tr", { "data-form": name },
      element("th", { scope: "row" }, name),
      element("td", {},
        ...rows.map((row) => element("span", {
          class: `fact${before && !old.has(JSON.stringify([name, row])) ? " changed" : ""}`, "data-values": row.join(" "),
        }, row.join(" · ") || "true")),
        more ? element("span", { class: "muted" }, `and ${more} more`) : null),
    ));
    this.table.hidden = !rows.length; // else it would be a stop of the Tab key
    this.table.replaceChildren(...(rows.length ? [element("table", { class: "facts" }, element("caption", { class: "small muted" }, this.layout.boards.length ? "What else is true" : "What is true"), element("tbody", {}, ...rows))] : []));
  }

  // Clicking

  click(id) {
    const depth = this.chosen.length;
    let found = this.candidates().filter((move) => move.clicks[depth]?.includes(id));
    if (!found.length && depth) {
      const isUndone = this.chosen[depth - 1] === id;
      const isComplete = this.candidates().find((move) => move.clicks.length === depth);
      if (isUndone && isComplete) { this.take(isComplete); return; }
      this.choose([]);
      if (!isUndone) this.click(id);
      return;
    }
    if (!found.length) return;
    const complete = found.filter((move) => move.clicks.length === depth + 1);
    if (complete.length === 1 && found.length === 1) { this.take(complete[0]); return; }
    this.choose([...this.chosen, id]);
  }

  take(move) {
    const onMove = this.onMove;
    this.choose([]);
    onMove(move.move);
  }

  candidates() {
    return this.moves.filter((move) => move.clicks.length && this.chosen.every((id, depth) => move.clicks[depth]?.includes(id)));
  }

  choose(chosen) {
    this.chosen = chosen;
    this.markClickable();
    this.onNarrow?.(chosen.length ? this.candidates() : null);
  }

  markClickable() {
    const next = new Set(this.candidates().flatMap((move) => move.clicks[this.chosen.length] ?? []));
    const parts = [...[...this.spots].map(([id, spot]) => [id, spot.shown, `${spot.name}: ${spot.told ?? "empty"}`]),
      ...[...(this.cards ?? [])].flatMap(([id, cards]) => cards.map((shown) => [id, shown, shown.dataset.card]))];
    for (const [id, shown, label] of parts) {
      const isChosen = this.chosen.includes(id);
      shown.classList.toggle("can", next.has(id));
      shown.classList.toggle("chosen", isChosen);
      shown.setAttribute("aria-label", `${label}${isChosen ? ", chosen" : next.has(id) ? ", can be chosen" : ""}`);
      shown.setAttribute("aria-disabled", String(!next.has(id) && !isChosen));
    }
  }

  walk(event) {
    const spot = this.spots.get(event.target.dataset?.spot);
    if (!spot) return;
    if (event.key === "Escape" && this.chosen.length) { this.choose([]); event.stopPropagation(); return; }
    const way = ARROWS[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    let best = null, least = Infinity;
    for (const other of this.spots.values()) {
      if (other.board !== spot.board || other === spot) continue;
      const [dx, dy] = [other.at[0] - spot.at[0], spot.at[1] - other.at[1]];
      const ahead = dx * way[0] + dy * way[1], aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
      if (ahead > 0.2 && ahead + 2.5 * aside < least) [best, least] = [other, ahead + 2.5 * aside];
    }
    if (best) {
      spot.shown.tabIndex = -1;
      best.shown.tabIndex = 0;
      best.shown.focus();
    }
  }
}
