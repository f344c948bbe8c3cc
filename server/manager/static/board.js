// Draws states and turns clicks into moves. A board is a set of spots with places; each state brings
// their contents. docs/manager.md lists the elements for a game's stylesheet.

import { element } from "./page.js";

const MARGIN = 0.15;
const MOVING = 180; // milliseconds in which a piece goes to its cell
const MOST_MOVING = 24; // pieces that move at once
const MAX_CELL = 84; // pixels
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** The class and the words of what is possible and not sure; `share` is its probability. */
const maybe = (item) => (item.share === undefined ? "" : " maybe");
const told = (item) => (item.share === undefined ? item.text : `perhaps ${item.text}, ${Math.round(100 * item.share)} %`);

const segment = ([x1, y1], [x2, y2]) => svg("line", { x1, y1, x2, y2 });

/** The classes of a piece that binary digits describe: each digit is a property. */
const coded = (code) => (code ? ` code ${[...code].map((digit, place) => `bit-${place + 1}-${digit}`).join(" ")}` : "");

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

  /** Turn the boards around for a player on the far side, unless a person has turned them. */
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
    const items = Object.values(scene.cells).flat();
    this.marks = new Set(items.filter((item) => item.kind === "mark").map((item) => item.form)).size;
    for (const [id, spot] of this.spots) this.fill(spot, scene.cells[id] ?? [], before?.cells[id] ?? (before ? [] : null));
    this.showBorders(scene.borders ?? []);
    this.showHands(scene.hands);
    this.showTable(scene.table, before?.table ?? null);
    this.markClickable();
    if (before) this.animate(scene, before);
  }

  /** Let pieces that went from one cell to another go there, and those that came appear. */
  animate(scene, before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const pieces = (state, id) => (state.cells[id] ?? []).filter((item) => item.kind === "piece" && !item.blank && item.share === undefined).map((item) => `${item.form} ${item.text}`);
    const left = new Map(), come = [];
    for (const id of this.spots.keys()) {
      const now = pieces(scene, id), then = pieces(before, id);
      for (const piece of then) if (!now.includes(piece)) left.set(piece, [...(left.get(piece) ?? []), id]);
      for (const piece of now) if (!then.includes(piece)) come.push([piece, id]);
    }
    if (come.length > MOST_MOVING) return;
    for (const [piece, id] of come) {
      const to = this.spots.get(id), from = this.spots.get(left.get(piece)?.shift());
      const shown = to.shown.querySelector(".piece");
      if (!shown) continue;
      if (!from || from.board !== to.board) { shown.animate([{ opacity: 0, scale: 0.6 }, { opacity: 1, scale: 1 }], { duration: MOVING }); continue; }
      const [a, b] = [from.shown.getBoundingClientRect(), to.shown.getBoundingClientRect()];
      to.shown.classList.add("moving");
      shown.animate([{ translate: `${a.left - b.left}px ${a.top - b.top}px` }, { translate: "0 0" }], { duration: MOVING, easing: "ease-out" })
        .finished.catch(() => {}).then(() => to.shown.classList.remove("moving"));
    }
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
    this.frames = [];
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

    const drawing = svg("svg", { class: "edges", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.frames.push({ drawing, at: (x, y) => at(this.place({ x, y })), frame: null, borders: [] });

    const frame = element("div", { class: `board ${board.shape}`, role: "group", "aria-label": `board ${board.name}`, "data-board": board.name, "data-look": board.look || null });
    frame.style.setProperty("--across", width);
    frame.style.aspectRatio = `${width} / ${height}`;
    frame.style.maxWidth = `min(${Math.round(width * MAX_CELL)}px, calc(68vh * ${(width / height).toFixed(4)}))`;
    frame.addEventListener("keydown", (event) => this.walk(event));
    const where = new Map(board.spots.map((spot, number) => [spot.id, at(points[number])]));
    for (const [one, other] of board.edges) drawing.append(segment(where.get(one), where.get(other)));
    for (const ends of board.lines ?? []) {
      const line = segment(...ends.map(([x, y]) => at(this.place({ x, y }))));
      line.setAttribute("class", "wall");
      drawing.append(line);
    }
    frame.append(drawing);
    this.frames.at(-1).frame = frame;
    board.captions.forEach((caption, number) => {
      const shown = element("span", { class: "caption", "aria-hidden": "true" }, caption.text);
      [shown.style.left, shown.style.top] = at(captions[number]).map((value) => `${value}%`);
      frame.append(shown);
    });
    // In reading order: top to bottom, left to right.
    const order = points.map((_, number) => number).sort((a, b) => points[a][1] - points[b][1] || points[a][0] - points[b][0]);
    order.forEach((number, place) => {
      const spot = board.spots[number];
      const isDark = board.shape === "square" && (Math.round(spot.x) + Math.round(spot.y)) % 2 === 0;
      const shown = element("button", {
        type: "button", class: `spot ${board.shape}${isDark ? " odd" : ""}${isTurned ? " turned" : ""}`,
        "data-spot": spot.id, "data-name": spot.name, "aria-label": spot.name, tabindex: place ? -1 : 0,
        on: { click: () => this.click(spot.id) },
      });
      [shown.style.left, shown.style.top] = at(points[number]).map((value) => `${value}%`);
      if (spot.bar) {
        const [[x, y], [u, v]] = spot.bar.map(([x, y]) => this.place({ x, y }));
        for (const end of [[x, y], [u, v]]) {
          const dot = segment(at(end), at(end));
          dot.setAttribute("class", "dot");
          drawing.append(dot);
        }
        shown.classList.add("bar");
        shown.style.rotate = `${Math.atan2(v - y, u - x)}rad`;
        shown.style.width = `${(90 * Math.hypot(u - x, v - y)) / width}%`;
      }
      frame.append(shown);
      this.spots.set(spot.id, { id: spot.id, also: spot.also ?? [], name: spot.name, shown, at: points[number], board: frame, isNamed: (board.shape === "round" || (board.shape === "square" && !board.captions.length)) && spot.name.length < 6 && !spot.bar });
    });
    const parts = this.layout.boards.length > 1 ? [element("p", { class: "board-name" }, board.name)] : [];
    return element("div", {}, ...parts, frame);
  }

  // Filling

  fill(spot, items, before) {
    const pieces = items.filter((item) => item.kind === "piece" && !item.blank);
    const tiles = items.filter((item) => item.kind === "tile" && !item.blank);
    const marks = items.filter((item) => item.kind === "mark" && !item.blank);
    const notes = items.filter((item) => item.kind === "note");
    const children = tiles.map((item) => element("span", { class: `tile tone-${item.tone}${maybe(item)}`, title: item.share === undefined ? null : told(item), "data-content": item.text, "data-form": item.form }, item.label));
    children.push(...pieces.map((item) => element("span", {
      class: `piece tone-${item.tone}${item.label.length > 2 ? " longer" : item.label.length > 1 ? " long" : ""}${/[\u2650-\u265f]/.test(item.label) ? " glyph" : ""}${item.size ? " slab" : ""}${coded(item.code)}${maybe(item)}`, title: item.code || item.share !== undefined ? told(item) : null,
      "data-content": item.text, "data-form": item.form,
    }, item.code ? "" : item.label)));
    if (marks.length && this.marks > 1) children.push(element("span", { class: "mark-name", "data-form": marks[0].form }, marks.map((item) => item.label).join(" ")));
    if (notes.length) children.push(element("span", { class: "note" }, notes.slice(0, 2).map((item) => item.label).join(" ") + (notes.length > 2 ? "…" : "")));
    if (!pieces.length && !tiles.length && spot.isNamed) children.push(element("span", { class: "spot-name", "aria-hidden": "true" }, spot.name));
    pieces.forEach((item, number) => { if (item.share !== undefined) children[tiles.length + number].style.opacity = 0.2 + 0.6 * item.share; });
    items.filter((item) => item.size).forEach((item, number) => children[number].style.setProperty("--size", item.size));
    spot.ids = [spot.id, ...spot.also, ...items.map((item) => item.id).filter(Boolean)];
    spot.shown.replaceChildren(...children);
    spot.told = [...tiles, ...pieces, ...marks, ...notes].map((item) => (item.kind === "piece" || item.kind === "tile" ? told(item) : `${item.form} ${told(item)}`)).join(", ") || "empty";
    spot.shown.dataset.content = [...tiles, ...pieces].map((item) => item.text).join(" ");
    spot.shown.classList.toggle("marked", marks.length > 0);
    const asText = (list) => JSON.stringify(list.filter((item) => item.kind !== "note" && !item.blank && item.share === undefined).map((item) => [item.form, item.text]));
    spot.shown.classList.toggle("changed", before !== null && asText(before) !== asText(items));
  }

  /** Show walls, lines and signs between cells, and what boxes of lines hold. */
  showBorders(borders) {
    for (const { borders: shown } of this.frames) shown.splice(0).forEach((each) => each.remove());
    for (const { board, from, to, style, text, label, tone } of borders) {
      const { drawing, at, frame, borders: shown } = this.frames[board];
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
      const along = [to[0] - from[0], to[1] - from[1]];
      if (style === "wall" || style === "line" || style === "corner") {
        // Cells that touch at a corner: the wall passes between the columns there.
        const across = style === "corner" ? [0, 1] : [-along[1] / 2, along[0] / 2];
        const ends = style === "line" ? [from, to] : [[middle[0] - across[0], middle[1] - across[1]], [middle[0] + across[0], middle[1] + across[1]]];
        const line = segment(...ends.map(([x, y]) => at(x, y)));
        line.setAttribute("class", `${style === "line" ? "line" : "wall"} tone-${tone}`);
        drawing.append(line);
        shown.push(line);
        continue;
      }
      const isSign = style !== "box";
      const sign = element("span", { class: `${isSign ? "sign" : "piece box"} tone-${tone}`, title: text }, isSign ? style : label);
      [sign.style.left, sign.style.top] = at(...middle).map((value) => `${value}%`);
      const [[x, y], [u, v]] = [at(...from), at(...to)];
      if (isSign) sign.style.rotate = `${Math.atan2(v - y, u - x)}rad`;
      frame.append(sign);
      shown.push(sign);
    }
  }

  showHands(hands) {
    this.cards = new Map();
    const inOrder = [...hands.filter((hand) => !hand.table), ...hands.filter((hand) => hand.table)];
    this.hands.replaceChildren(...inOrder.map((hand) => element("div", { class: `hand${hand.table ? " on-table" : ""}`, "data-hand": hand.name, "data-owner": hand.owner },
      element("h3", {}, hand.owner ? `${hand.name}: ${hand.owner}` : hand.name),
      element("div", { class: "cards" }, ...hand.cards.map((card) => {
        const shown = element("button", {
          type: "button", class: `card tone-${card.tone}${card.glyph ? " french" : ""}${maybe(card)}`, "data-card": card.text, "data-suit": card.suit,
          title: told(card), on: { click: () => this.click(card.id) },
        }, card.code ? element("span", { class: `piece${coded(card.code)}` }) : element("span", { class: "rank" }, card.rank), element("span", { class: "suit" }, card.glyph || card.suit));
        this.cards.set(card.id, [...(this.cards.get(card.id) ?? []), shown]);
        return shown;
      }), hand.unknown === undefined ? null : element("span", { class: "unknown" }, hand.unknown === null ? "and others" : `${hand.unknown} unknown`)),
    )));
    this.hands.hidden = !hands.length;
  }

  showTable(table, before) {
    const old = new Set((before ?? []).flatMap(({ name, rows }) => rows.map((row) => JSON.stringify([name, row]))));
    const rows = table.map(({ name, rows, more, shares = [] }) => element("tr", { "data-form": name },
      element("th", { scope: "row" }, name),
      element("td", {},
        ...rows.map((row, at) => element("span", {
          class: `fact${before && !old.has(JSON.stringify([name, row])) ? " changed" : ""}${shares[at] ? " maybe" : ""}`, "data-values": row.join(" "),
        }, `${row.join(" · ") || "true"}${shares[at] ? ` (${Math.round(100 * shares[at])} %)` : ""}`)),
        more ? element("span", { class: "muted" }, `and ${more} more`) : null),
    ));
    this.table.hidden = !rows.length; // else it would be a stop of the Tab key
    this.table.replaceChildren(...(rows.length ? [element("table", { class: "facts" }, element("caption", { class: "small muted" }, this.layout.boards.length ? "What else is true" : "What is true"), element("tbody", {}, ...rows))] : []));
  }

  // Clicking

  click(place) {
    // A thing in a cell may be named by a move, too.
    const ids = this.spots.get(place)?.ids ?? [place];
    const id = ids.find((each) => this.chosen.includes(each) || this.candidates().some((move) => move.clicks[this.chosen.length]?.includes(each))) ?? place;
    const depth = this.chosen.length;
    let found = this.candidates().filter((move) => move.clicks[depth]?.includes(id));
    if (!found.length && depth) {
      const isUndone = this.chosen[depth - 1] === id;
      const isComplete = this.candidates().find((move) => move.clicks.length === depth);
      if (isUndone && isComplete) { this.take(isComplete); return; }
      this.choose([]);
      if (!isUndone) this.click(place);
      return;
    }
    if (!found.length) { this.onRefused?.(this.spots.get(place)?.name ?? place.replace(/^card /, "")); return; }
    const complete = found.filter((move) => move.clicks.length === depth + 1);
    if (complete.length === 1 && found.length === 1) { this.take(complete[0]); return; }
    this.choose([...this.chosen, id]);
    // Moves that name the same cells differ in something else, such as what a piece becomes.
    if (found.length > 1 && found.every((move) => move.clicks.length === depth + 1)) {
      const shown = this.spots.get(place)?.shown ?? this.cards.get(place)?.[0];
      this.onTie?.(found, shown, (move) => (move === null ? this.choose([]) : this.take({ move })));
    }
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
    for (const [place, shown, label] of parts) {
      const ids = this.spots.get(place)?.ids ?? [place];
      const isChosen = ids.some((id) => this.chosen.includes(id)), canBe = ids.some((id) => next.has(id));
      shown.classList.toggle("can", canBe);
      shown.classList.toggle("chosen", isChosen);
      shown.setAttribute("aria-label", `${label}${isChosen ? ", chosen" : canBe ? ", can be chosen" : ""}`);
      shown.setAttribute("aria-disabled", String(!canBe && !isChosen));
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
