// The explorer: walk through a game by hand, and analyse any state.

import { Scene } from "./board.js";
import { offerMoves, showGoals } from "./moves.js";
import { ask, byId, element, follow, number, say } from "./page.js";

const { api, key } = byId("main").dataset;
let scene = null, layout = null, analysis = null;
let way = []; // { moves, found }: the joint move that led to a state, and the state
const here = () => way[way.length - 1].found;

async function go(moves) {
  try {
    const found = await ask(`${api}/scene`, { facts: here().facts, moves });
    way.push({ moves, found });
    arrive();
  } catch (error) {
    say(byId("status"), error.message, true);
  }
}

function back(count = 1) {
  way = way.slice(0, Math.max(1, way.length - count));
  arrive();
}

function arrive() {
  stop();
  byId("analysis-result").replaceChildren();
  say(byId("analysis-status"), "");
  const found = here();
  scene.show(found.scene, way[way.length - 2]?.found.scene ?? null);
  showGoals(byId("players"), layout, found);
  offerMoves(byId("moves"), found, { layout, scene, onMoves: go, onNext: (role) => say(byId("status"), `${role} is to choose, too.`) });
  showJointMoves(found);
  showPath();
  const told = found.terminal ? `The game is over after ${way.length - 1} steps.`
    : `Step ${way.length - 1}: ${number(found.joint_moves)} joint move${found.joint_moves === 1 ? "" : "s"}.`;
  say(byId("status"), told);
  history.replaceState(null, "", way.length > 1 ? `#${encodeURIComponent(JSON.stringify(way.slice(1).map(({ moves }) => moves)))}` : location.pathname);
}

function showJointMoves(found) {
  if (!found.successors.length) {
    byId("joint").replaceChildren(element("p", { class: "muted" }, found.terminal ? "None." : `${number(found.joint_moves)}: too many to list. Choose a move for each role.`));
    return;
  }
  const rows = found.successors.map(({ moves, terminal, goals }) => element("tr", {},
    element("td", {}, element("button", { type: "button", on: { click: () => go(moves) } }, moves.join(", "))),
    element("td", {}, terminal ? "ends" : ""),
    element("td", { class: "number" }, goals.map((goal) => goal ?? "–").join(", "))));
  byId("joint").replaceChildren(element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "joint move"), element("th", { scope: "col" }, "end"), element("th", { scope: "col", class: "number" }, "goals then"))),
    element("tbody", {}, ...rows))));
}

function showPath() {
  byId("path").replaceChildren(...way.map(({ moves }, index) => element("li", {}, element("button", {
    type: "button", "aria-current": index === way.length - 1 ? "step" : null, on: { click: () => back(way.length - 1 - index) },
  }, index ? moves.filter((_, role) => way[index - 1].found.legal[role].length > 1).join(", ") || moves.join(", ") : "start"))));
  byId("back").disabled = byId("restart").disabled = way.length < 2;
  byId("random").disabled = here().terminal;
}

// Analyses

function stop() {
  if (!analysis) return;
  analysis.events.close();
  ask(`/api/analyses/${analysis.id}/stop`, {}).catch(() => {});
  analysis = null;
  byId("stop").disabled = true;
}

async function begin(form) {
  stop();
  const told = Object.fromEntries(new FormData(form));
  const atStart = way.length === 1;
  const status = byId("analysis-status");
  byId("analysis-result").replaceChildren();
  say(status, "Working…");
  try {
    const { id } = await ask(`${api}/analyses`, {
      kind: told.kind, algorithm: told.algorithm, role: Number(told.role), seconds: Number(told.seconds),
      facts: atStart ? null : here().facts,
    });
    byId("stop").disabled = false;
    analysis = {
      id,
      events: follow(`/api/analyses/${id}/events`, (event) => {
        if (event.event === "progress") byId("analysis-result").replaceChildren(...RESULTS[told.kind](event.found));
        else if (event.event === "failed") say(status, event.error, true);
        else say(status, event.stopped ? "Time is up." : "Done.");
      }, { onEnd: () => { analysis = null; byId("stop").disabled = true; } }),
    };
  } catch (error) {
    say(status, error.message, true);
  }
}

const table = (columns, rows) => element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What was found" }, element("table", {},
  element("thead", {}, element("tr", {}, ...columns.map((column) => element("th", { scope: "col", class: "number" }, column)))),
  element("tbody", {}, ...rows)));

const RESULTS = {
  solve: (found) => [
    element("p", {}, element("b", {}, `${layout.roles[found.role]} gets ${found.value === null ? "?" : Number(found.value).toFixed(found.exact ? 0 : 1)}`),
      found.exact ? ", proven" : ", as it seems", found.move === null ? "." : element("span", {}, ": play ", element("b", {}, found.move), ".")),
    element("p", { class: "small" }, "Variation: ", found.variation.slice(0, 12).map((moves) => moves.join(" + ")).join(" → ") || "nothing more"),
    element("p", { class: "small muted" }, `${found.depth} ahead, ${number(found.expanded)} states expanded, ${number(Math.round(found.expanded / Math.max(found.seconds, 0.001)))} a second, `,
      `${number(found.table.hits)} table hits; ${found.engine}${Object.entries(found.prunes).map(([rule, times]) => `; ${rule} ${number(times)}`).join("")}`),
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

byId("analysis").addEventListener("submit", (event) => { event.preventDefault(); begin(event.target); });
byId("stop").addEventListener("click", () => { stop(); say(byId("analysis-status"), "Stopped."); });
byId("back").addEventListener("click", () => back());
byId("restart").addEventListener("click", () => back(way.length));
byId("turn-board").addEventListener("click", () => scene.turn());
byId("random").addEventListener("click", () => go(here().legal.map((moves) => moves[Math.floor(Math.random() * moves.length)].move)));
document.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft" && way.length > 1 && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) back();
});

try {
  layout = await ask(`${api}/layout`);
  scene = new Scene(byId("scene"), layout, key);
  document.querySelector("[name=role]").replaceChildren(...layout.roles
    .map((role, index) => [role, index])
    .filter(([role]) => role.toLowerCase() !== "random") // who wants nothing
    .map(([role, index]) => element("option", { value: index }, role)));
  if (layout.roles.length > 2) document.querySelector("[name=algorithm]").value = "maxn";
  way = [{ moves: null, found: await ask(`${api}/scene`, { facts: null }) }];
  for (const button of document.querySelectorAll(".controls button, #analysis .primary")) button.disabled = false;
  let asked = [];
  try { asked = JSON.parse(decodeURIComponent(location.hash.slice(1)) || "[]"); } catch { /* it is no way through this game */ }
  arrive();
  for (const moves of asked) await go(moves);
} catch (error) {
  say(byId("status"), error.message, true);
}
