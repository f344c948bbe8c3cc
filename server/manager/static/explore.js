// The explorer: walk through a game by hand, try branches, and analyse any state.

import { Analysis } from "./analysis.js";
import { Scene } from "./board.js";
import { followLayout } from "./layouts.js";
import { offerMoves, showGoals } from "./moves.js";
import { ask, byId, element, number, say } from "./page.js";
import { letDrag } from "./watch/drag.js";
import { Notation } from "./watch/notation.js";
import { drawTree, Node } from "./watch/tree.js";
import { playing } from "./watch/words.js";

const { api, key } = byId("main").dataset;
const KEPT = `tree ${key}`; // of this tab
let scene = null, layout = null, lookAgain = null, notation = null, analysis = null, waiting = null;
let top = new Node(), here = top;

/** Go to a node: first its board is shown, then its moves, then the table of joint moves. */
async function go(node) {
  here = node;
  stop();
  byId("analysis-result").replaceChildren();
  say(byId("analysis-status"), "");
  byId("joint").replaceChildren();
  byId("moves").replaceChildren();
  scene.offer([]);
  showTree();
  say(byId("status"), "Working out the state…");
  try {
    await draw(node);
    if (here !== node) return;
    scene.show(node.drawn.scene, node.parent?.drawn?.scene ?? null);
    node.found ??= await ask(`${api}/scene`, { facts: node.drawn.facts });
    if (here !== node) return;
    arrive(node.found);
    await showJointMoves(node);
  } catch (error) {
    if (here !== node) return;
    say(byId("status"), error.message, true);
    byId("moves").replaceChildren(element("button", { type: "button", on: { click: () => go(node) } }, "Try again"));
  }
}

/** Have a node's board, by way of the nodes before it. */
async function draw(node) {
  if (node.drawn) return;
  if (node.parent && !node.parent.drawn && node.depth > 1) {
    const { here: found, legal, reason } = await ask(`${api}/line`, { moves: node.line, step: node.depth });
    if (legal < node.depth) throw new Error(`step ${legal + 1} is not legal: ${reason}`);
    [node.drawn, node.found] = [found, found];
    return;
  }
  if (node.parent) await draw(node.parent);
  node.drawn = await ask(`${api}/draw`, { facts: node.parent?.drawn.facts ?? null, moves: node.moves });
  if (node.drawn.scene.revision !== layout.revision) lookAgain(); // the board is another one now
}

function play(moves) {
  const isNew = here.children.length;
  const node = here.child(moves);
  node.label ||= notation.joint(moves, here.found?.legal?.map((each) => each.length));
  if (isNew && here.children.length > isNew) say(byId("status"), "A new branch.");
  go(node);
}

/** Play several joint moves, of which the last is shown. */
function playLine(line) {
  let node = here;
  for (const moves of line) {
    node = node.child(moves);
    node.label ||= notation.joint(moves);
  }
  go(node);
}

function arrive(found) {
  showGoals(byId("players"), layout, found);
  offerMoves(byId("moves"), found, { layout, scene, notation, onMoves: play, onNext: (role) => say(byId("status"), `${role} is to choose, too.`) });
  const mover = found.legal?.findIndex((moves) => moves.length > 1) ?? -1;
  const roles = byId("analysis").elements.role;
  if ([...roles.options].some(({ value }) => value === String(mover))) roles.value = String(mover);
  say(byId("status"), found.terminal ? `The game is over after ${here.depth} step${here.depth === 1 ? "" : "s"}.`
    : `Step ${here.depth}: ${number(found.joint_moves)} joint move${found.joint_moves === 1 ? "" : "s"}.`);
  showTree();
}

async function showJointMoves(node) {
  const { found } = node;
  if (found.terminal) { byId("joint").replaceChildren(element("p", { class: "muted" }, "None.")); return; }
  const rows = element("tbody"), note = element("p", { class: "small muted", role: "status" });
  byId("joint").replaceChildren(note, element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "joint move"), element("th", { scope: "col" }, "end"), element("th", { scope: "col", class: "number" }, "goals then"))), rows)));
  const choices = found.legal.map((moves) => moves.length);
  try {
    for (let after = 0; after !== null && here === node;) {
      note.textContent = after ? `${number(after)} of ${number(found.joint_moves)} so far…` : "Working them out…";
      const part = await ask(`${api}/successors`, { facts: node.drawn.facts, after });
      if (here !== node) return;
      rows.append(...part.rows.map(({ moves, terminal, goals }) => element("tr", {},
        element("td", {}, element("button", { type: "button", title: moves.join(", "), on: { click: () => play(moves) } }, notation.joint(moves, choices))),
        element("td", {}, terminal ? "ends" : ""),
        element("td", { class: "number" }, goals.map((goal) => goal ?? "–").join(", ")))));
      after = part.next;
    }
    note.textContent = rows.children.length < found.joint_moves ? `The first ${number(rows.children.length)} of ${number(found.joint_moves)}.` : "";
  } catch (error) {
    say(note, `The table ends here: ${error.message}`, true);
  }
}

function showTree() {
  drawTree(byId("path"), top, here, go);
  byId("back").disabled = byId("restart").disabled = !here.parent;
  byId("on").disabled = !here.last;
  byId("cut").disabled = !here.parent;
  byId("random").disabled = !here.found || here.found.terminal;
  const line = here.line;
  const told = line.length ? `#${encodeURIComponent(JSON.stringify(line))}` : "";
  history.replaceState(null, "", `${location.pathname}${told}`);
  byId("play-on").href = `${byId("play-on").dataset.page}${told}`;
  sessionStorage.setItem(KEPT, JSON.stringify(top.toJson()));
}

/** Take the line of the address, or of a record that the address names, into the tree. */
async function begin() {
  try { top = Node.fromJson(JSON.parse(sessionStorage.getItem(KEPT)) ?? [null, "", []]); } catch { top = new Node(); }
  here = top;
  const asked = new URLSearchParams(location.search);
  let line = [], length = null, note = "";
  if (asked.has("record")) {
    const { moves } = await ask(`/api/records/${encodeURIComponent(asked.get("record"))}`);
    // A line of the address goes on from the step; else the whole match is there, and the step is shown.
    if (location.hash) line = moves.slice(0, Number(asked.get("step") ?? moves.length));
    else [line, length] = [moves, Number(asked.get("step") ?? moves.length)];
  }
  try { line = [...line, ...JSON.parse(decodeURIComponent(location.hash.slice(1)) || "[]")]; } catch { note = "The address holds no line of this game."; }
  if (asked.has("record") || line.length) top = new Node();
  let node = top, target = top;
  for (const moves of line) {
    node = node.child(moves);
    node.label = notation.joint(moves);
    if (length === null || node.depth <= length) target = node;
  }
  await go(target);
  if (note) say(byId("status"), note, true);
}

// Analyses

function stop() {
  clearInterval(waiting);
  analysis?.stop();
  analysis = null;
  byId("stop").disabled = true;
}

async function analyse(form) {
  stop();
  const begun = new Analysis();
  analysis = begun;
  byId("stop").disabled = false;
  const told = Object.fromEntries(new FormData(form));
  const status = byId("analysis-status");
  byId("analysis-result").replaceChildren();
  const began = Date.now();
  const wait = () => say(status, `Working for ${Math.round((Date.now() - began) / 1000)} s…`);
  wait();
  waiting = setInterval(wait, 1000);
  try {
    await begun.begin(`${api}/analyses`, {
      kind: told.kind, algorithm: told.algorithm, role: Number(told.role), seconds: Number(told.seconds),
      facts: here.parent ? here.drawn.facts : null,
    }, (event) => {
      if (event.event !== "progress") clearInterval(waiting);
      if (event.event === "progress") byId("analysis-result").replaceChildren(...RESULTS[told.kind](event.found));
      else if (event.event === "failed") say(status, event.error, true);
      else say(status, event.stopped ? "Time is up." : "Done.");
    }, { onEnd: stop });
  } catch (error) {
    stop();
    say(status, error.message, true);
  }
}

const table = (columns, rows) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What was found" }, element("table", {},
  element("thead", {}, element("tr", {}, ...columns.map((column) => element("th", { scope: "col", class: "number" }, column)))),
  element("tbody", {}, ...rows)));

const RESULTS = {
  solve: (found) => [
    element("p", {}, element("b", {}, `${layout.roles[found.role]} gets ${found.value === null ? "?" : Number(found.value).toFixed(found.exact ? 0 : 1)}`),
      found.exact ? ", proven" : ", as it seems", found.move === null ? "." : element("span", {}, ": play ", element("b", { title: found.move }, notation.label(found.move)), ".")),
    element("p", { class: "small variation" }, "Variation: ", ...(found.variation.length ? found.variation.slice(0, 12).map((_, at, line) => element("button", {
      type: "button", "aria-label": `to the state after ${line.slice(0, at + 1).map((moves) => notation.joint(moves)).join(", ")}`, on: { click: () => playLine(line.slice(0, at + 1)) },
    }, notation.joint(line[at]))) : ["nothing more"])),
    element("p", { class: "small muted" }, `${found.depth} ahead, ${number(found.expanded)} states expanded, ${number(Math.round(found.expanded / Math.max(found.seconds, 0.001)))} a second, `,
      `${number(found.table.hits)} table hits; ${found.engine}${found.net ? ", estimates by what was learned of the game" : ""}${Object.entries(found.prunes).map(([rule, times]) => `; ${rule} ${number(times)}`).join("")}`),
  ],
  lvt: (found) => [
    element("p", { class: "small" }, `Level ${found.level}; ${found.constant_sum ? "the goals have a constant sum" : "the goals have no constant sum"}. Rows that are struck out cannot come any more.`),
    table([...layout.roles, "ranks"], found.rows.map((row) => element("tr", { class: row.possible ? null : "impossible" },
      ...row.goals.map((goal) => element("td", { class: "number" }, String(goal))), element("td", { class: "number" }, row.ranks.join(" "))))),
    found.more ? element("p", { class: "muted" }, `and ${number(found.more)} more`) : "",
  ],
  perft: (found) => [
    table(["depth", "states", "paths", "terminal"], found.layers.map((layer) => element("tr", {},
      element("td", { class: "number" }, String(layer.depth)), element("td", { class: "number" }, number(layer.states)),
      element("td", { class: "number" }, layer.paths.length < 16 ? number(layer.paths) : `${layer.paths[0]}.${layer.paths.slice(1, 4)}e${layer.paths.length - 1}`),
      element("td", { class: "number" }, number(layer.terminal))))),
    element("p", { class: "small muted" }, found.complete ? "Every reachable state was expanded." : found.stop ? `Ended: ${found.stop}.` : "Counting…"),
  ],
};

byId("analysis").addEventListener("submit", (event) => { event.preventDefault(); analyse(event.target); });
byId("stop").addEventListener("click", () => { stop(); say(byId("analysis-status"), "Stopped."); });
byId("back").addEventListener("click", () => go(here.parent));
byId("on").addEventListener("click", () => go(here.last));
byId("restart").addEventListener("click", () => go(top));
byId("cut").addEventListener("click", () => { const { parent } = here; here.remove(); go(parent); });
byId("turn-board").addEventListener("click", () => scene.turn());
byId("random").addEventListener("click", () => play(here.found.legal.map((moves) => moves[Math.floor(Math.random() * moves.length)].move)));
byId("svg").addEventListener("click", async () => {
  try {
    const { svg } = await ask(`${api}/svg`, { facts: here.drawn.facts });
    const link = element("a", { href: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), download: `${key}-${here.depth}.svg` });
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    say(byId("status"), error.message, true);
  }
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const branches = here.parent?.children ?? [], place = branches.indexOf(here);
  const target = { ArrowLeft: here.parent, ArrowRight: here.last, Home: top, ArrowUp: branches[place - 1], ArrowDown: branches[place + 1] }[event.key];
  if (target) { event.preventDefault(); go(target); }
});

/** Take a layout; all that was drawn on another one is drawn anew. */
async function takeLayout(found, look) {
  const isFirst = layout === null;
  layout = found;
  lookAgain = look;
  scene = new Scene(byId("scene"), layout, key);
  notation = new Notation(layout);
  letDrag(scene);
  if (isFirst) { await start(); return; }
  const node = here, { found: before } = here;
  top.forget();
  node.found = before; // what can be chosen stays, and an analysis goes on
  await draw(node);
  if (here !== node) return;
  scene.show(node.drawn.scene, node.parent?.drawn?.scene ?? null);
  node.found = await ask(`${api}/scene`, { facts: node.drawn.facts });
  if (here === node) arrive(node.found);
}

async function start() {
  document.querySelector("[name=role]").replaceChildren(...playing(layout.roles).map((index) => element("option", { value: index }, layout.roles[index])));
  if (layout.roles.length > 2) document.querySelector("[name=algorithm]").value = "maxn";
  for (const button of document.querySelectorAll("#turn-board, #svg, #analysis .primary")) button.disabled = false;
  await begin();
}

try {
  await followLayout(`${api}/layout`, takeLayout);
} catch (error) {
  say(byId("status"), error.message, true);
}
