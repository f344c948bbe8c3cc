// A match in progress or a replay: steps, board, players, and the moves of people.

import { MoveList, Scene } from "./board.js";
import { drawChart } from "./chart.js";
import { ask, byId, element, follow, number, say } from "./page.js";
import { listThoughts, markThoughts } from "./thoughts.js";

const data = byId("main").dataset;
const REASONS = { TO: "was too late", CE: "gave no answer" };
const RUN = 700; // milliseconds for a step while playing on automatically

const match = {
  roles: [], players: [], tones: [],
  steps: [], // the joint moves: { moves, errors, seconds }
  states: 0,
  goals: [], // for each state
  infos: [], // for each role, the latest
  estimates: [], // for each role, a map of step to value
  search: null, // of a record: for each step what each role thought, or null
  turns: new Map(), // the turn of each role for which a person is to move
  final: null,
};
const scenes = new Map();
let scene = null, shown = -1, isFollowing = true, moveList = null, forRole = null, runner = null, deadline = null, growing = null;

// States

async function sceneOf(step) {
  if (!scenes.has(step)) scenes.set(step, ask(`${data.api}/scenes/${step}`).catch((error) => { scenes.delete(step); throw error; }));
  return scenes.get(step);
}

async function show(step) {
  step = Math.max(0, Math.min(step, match.states - 1));
  shown = step;
  byId("slider").max = Math.max(0, match.states - 1);
  byId("slider").value = step;
  byId("step").textContent = `${step} / ${Math.max(0, match.states - 1)}`;
  if (!scene || !match.states) return;
  try {
    const [found, before] = await Promise.all([sceneOf(step), step ? sceneOf(step - 1) : null]);
    if (shown !== step) return;
    if (found.goals) match.goals[step] = found.goals;
    scene.show(found.scene, before?.scene ?? null);
    offerMoves(found);
    showPlayers();
    showChart();
    showHistory();
    markThoughts(step);
  } catch (error) {
    say(byId("status"), error.message, true);
  }
}

/** Show that there is more, once for all that comes at once. */
function grew() {
  growing ??= setTimeout(() => {
    growing = null;
    show(isFollowing ? match.states - 1 : shown);
  }, 20);
}

function go(step) {
  isFollowing = step >= match.states - 1;
  show(step);
}

// The moves of people

function offerMoves(found) {
  const isLatest = shown === match.states - 1;
  const mine = isLatest && match.final === null ? [...match.turns].filter(([, turn]) => turn === shown) : [];
  for (const [role, turn] of mine) {
    // A role with one legal move needs no choice.
    if (found.legal[role]?.length === 1) send(role, turn, found.legal[role][0].move);
  }
  const open = mine.filter(([role]) => (found.legal[role]?.length ?? 0) > 1).map(([role]) => role);
  byId("your-move").hidden = !open.length;
  if (!open.length) { scene.offer([]); deadline = null; return; }
  if (!open.includes(forRole)) forRole = open[0];
  byId("move-title").textContent = open.length > 1 ? "Your moves" : `Your move as ${match.roles[forRole]}`;
  byId("who").hidden = open.length < 2;
  byId("who").replaceChildren(...open.map((role) => element("label", {},
    element("input", { type: "radio", name: "for-role", checked: role === forRole, on: { change: () => { forRole = role; offerMoves(found); } } }),
    ` ${match.roles[role]}`)));
  const moves = found.legal[forRole];
  const take = (move) => send(forRole, shown, move);
  moveList ??= new MoveList(byId("moves"), (move) => moveList.take(move));
  moveList.take = take;
  moveList.show(moves);
  scene.offer(moves, take, (left) => moveList.show(left ?? moves));
}

async function send(role, turn, move) {
  match.turns.delete(role);
  scene.offer([]);
  byId("your-move").hidden = true;
  try {
    await ask(`${data.api}/moves`, { role, turn, move });
  } catch (error) {
    say(byId("status"), error.message, true);
  }
}

// Beside the board

function showPlayers() {
  const goals = shown === match.states - 1 && match.final ? match.final : match.goals[shown] ?? [];
  const errors = match.steps[shown - 1]?.errors ?? [];
  byId("players").replaceChildren(...match.roles.map((role, index) => {
    const info = match.search ? match.search[shown]?.[index] : match.infos[index];
    const isToMove = match.final === null && shown === match.states - 1 && (match.turns.get(index) === shown);
    return element("div", { class: `player tone-${match.tones[index]}${isToMove ? " moves-now" : ""}` },
      element("div", { class: "line" },
        element("span", { class: "role" }, role),
        element("span", { class: "name" }, match.players[index] ?? ""),
        element("span", { class: "goal", "aria-label": `goal ${goals[index] ?? "none"}` }, goals[index] === null || goals[index] === undefined ? "–" : String(goals[index]))),
      info ? element("p", { class: "info" },
        "expects ", element("b", {}, info.value === null ? "?" : Number(info.value).toFixed(info.proven ? 0 : 1)), info.proven ? " (proven)" : "",
        info.depth ? `, ${info.depth} ahead` : "",
        info.nodes && info.seconds ? `, ${number(Math.round(info.nodes / Math.max(info.seconds, 0.001)))} nodes/s` : "",
        info.variation?.length ? element("span", {}, ": ", variation(info.variation)) : "") : null,
      errors[index] ? element("span", { class: "error-note" }, `${explain(errors[index])}; a random move was made instead`) : null);
  }));
}

const variation = (joint) => joint.slice(0, 6).map((moves) => moves.filter((move) => move !== "noop").join(" + ") || "noop").join(" → ");

function explain(error) {
  const [code] = error.split(" ");
  return REASONS[code] ?? (code === "IL" ? `wanted the illegal ${error.slice(3)}` : error);
}

function showChart() {
  const goals = Array.from({ length: match.states }, (_, step) => match.goals[step] ?? []);
  if (match.final && goals.length) goals[goals.length - 1] = match.final;
  drawChart(byId("chart"), { roles: match.roles, tones: match.tones, goals, estimates: match.estimates, step: Math.max(0, shown) });
}

function showHistory() {
  const isTimed = match.steps.some(({ took }) => took !== undefined);
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "#"), ...match.roles.map((role) => element("th", { scope: "col" }, role)),
    isTimed ? element("th", { scope: "col", class: "number" }, "time") : null));
  const rows = match.steps.map(({ moves, errors, seconds, took }, index) => element("tr", { "aria-current": shown === index + 1 ? "step" : null },
    element("td", {}, element("button", { type: "button", "aria-label": `to the state after move ${index + 1}`, on: { click: () => go(index + 1) } }, String(index + 1))),
    ...moves.map((move, role) => element("td", { title: seconds?.[role] === undefined ? null : `${seconds[role].toFixed(2)} s` }, move,
      errors?.[role] ? element("span", { class: "error-note" }, ` ${errors[role].split(" ")[0]}`) : null)),
    isTimed ? element("td", { class: "number" }, `${took.toFixed(2)} s`) : null));
  byId("history").replaceChildren(element("table", {}, head, element("tbody", {}, ...rows)));
  byId("history").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

// Events of the manager

const TAKE = {
  started(event) {
    Object.assign(match, { roles: event.roles, players: event.players, states: 1 });
    match.estimates = event.roles.map(() => new Map());
    say(byId("status"), "The players prepare…");
    grew();
  },
  ready(event) {
    const late = event.errors.map((error, role) => (error ? `${match.roles[role]} ${explain(error)}` : "")).filter(Boolean);
    say(byId("status"), late.length ? `Begun, though ${late.join(", ")}` : "The match has begun.", late.length > 0);
  },
  turn(event) {
    match.turns.set(event.role, event.turn);
    deadline = data.peopleTakeTime === "yes" ? null : event.time + Number(data.playClock);
    say(byId("status"), `${match.roles[event.role]} is to move.`);
    grew();
  },
  info(event) {
    match.infos[event.role] = event;
    if (event.value !== null) match.estimates[event.role]?.set(event.turn, event.value);
    showPlayers();
    showChart();
  },
  move(event) {
    match.steps.push(event);
    match.states = event.step + 1;
    const told = event.moves.map((move, role) => `${match.roles[role]} ${move}`).join(", ");
    say(byId("status"), `${event.step}. ${told}`);
    grew();
  },
  finished(event) {
    match.final = event.goals;
    match.turns.clear();
    if (event.goals === null) match.final = undefined;
    const goals = event.goals?.map((goal, role) => `${match.roles[role]} ${goal}`).join(", ");
    say(byId("status"), goals ? `The match is over: ${goals}. ${event.remark}` : `The match ended early: ${event.remark}`, !goals);
    if (byId("abort")) byId("abort").hidden = true;
    grew();
  },
};

async function watchMatch() {
  follow(`${data.api}/events`, (event) => TAKE[event.event]?.(event), {
    onLost: () => say(byId("status"), "The connection to the manager is lost; trying again…", true),
  });
  const { goals } = await ask(`${data.api}/goals`).catch(() => ({ goals: [] }));
  goals.forEach((each, step) => { match.goals[step] ??= each; });
  showChart();
}

async function replay() {
  const record = await ask(data.api);
  const roles = record.moves[0]?.length ?? record.players.length ?? record.goals.length;
  match.roles = scene.layout.roles.length ? scene.layout.roles : Array.from({ length: roles }, (_, index) => `role ${index + 1}`);
  match.players = record.players;
  match.estimates = match.roles.map(() => new Map());
  match.steps = record.moves.map((moves, index) => ({
    moves, errors: record.errors[index + 1] ?? [],
    seconds: moves.map((_, role) => record.search[index]?.[role]?.seconds),
    took: (record.times[index + 1] - record.times[index]) / 1000,
  }));
  match.search = record.search;
  record.search.forEach((thoughts, step) => thoughts.forEach((thought, role) => {
    if (typeof thought?.value === "number") match.estimates[role].set(step, thought.value);
  }));
  listThoughts(match, go);
  match.states = record.states.length;
  match.final = record.goals.length ? record.goals : undefined;
  isFollowing = false;
  if (record.game) showGame(record.game);
  const day = new Date(record.start_time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  document.querySelector("h1").textContent = `${record.game_name || "A match"}, ${day}`;
  document.title = `${record.game_name || "A match"}, ${day}: ${record.players.join(" – ")} · ggp`;
  const goals = record.goals.map((goal, role) => `${match.roles[role]} ${goal}`).join(", ");
  const judged = record.mistake ? `It violates the rules at step ${record.mistake.step}: ${record.mistake.reason}.`
    : record.is_judged ? "Every step agrees with the rules." : "Its game is not known here; the board is drawn from the record alone.";
  say(byId("status"), `${goals || "It was not played to its end"}. ${judged}`, Boolean(record.mistake));
  if (!match.states) { say(byId("status"), "The match was aborted before it began.", true); return; }
  await show(0);
  const found = await ask(`${data.api}/goals`).catch(() => ({ goals: [] }));
  match.goals = found.goals;
  showChart();
}

/** Show of which game a record is, in the game's own style if it has one. */
function showGame(game) {
  const page = `/games/${encodeURIComponent(game)}`;
  document.head.append(element("link", { rel: "stylesheet", href: `${page}/style.css` }));
  document.querySelector("header nav").append(element("a", { href: page }, game), " ", element("a", { href: `${page}/explore` }, "Explore"));
}

// Controls

function run(isOn = runner === null) {
  clearInterval(runner);
  runner = null;
  byId("run").setAttribute("aria-pressed", String(isOn));
  byId("run").textContent = isOn ? "❚❚" : "▶";
  if (!isOn) return;
  if (shown >= match.states - 1) go(0);
  runner = setInterval(() => (shown >= match.states - 1 ? run(false) : go(shown + 1)), RUN);
}

const ACTIONS = {
  first: () => go(0), back: () => go(shown - 1), on: () => go(shown + 1), last: () => go(match.states - 1),
  run: () => run(), "turn-board": () => scene?.turn(),
};
for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
byId("abort")?.addEventListener("click", () => ask(`${data.api}/abort`, {}).catch((error) => say(byId("status"), error.message, true)));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const action = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", p: "run", P: "run" }[event.key];
  if (action) { event.preventDefault(); ACTIONS[action](); }
});
setInterval(() => {
  if (deadline === null || byId("your-move").hidden) return;
  const left = Math.max(0, deadline - Date.now() / 1000);
  byId("move-title").textContent = `Your move as ${match.roles[forRole]}: ${left.toFixed(0)} s`;
}, 500);

try {
  const layout = await ask(data.layout);
  match.tones = layout.tones;
  scene = new Scene(byId("scene"), layout, data.key);
} catch (error) {
  say(byId("status"), error.message, true);
}
if (data.kind === "match") await watchMatch();
else if (scene) await replay().catch((error) => say(byId("status"), error.message, true));
