// A match in progress or a replay: steps, board, players, and the moves of people.

import { Scene } from "./board.js";
import { drawChart } from "./chart.js";
import { followLayout } from "./layouts.js";
import { MoveList } from "./moves.js";
import { ask, byId, element, follow, say } from "./page.js";
import { listThoughts, markThoughts } from "./thoughts.js";
import { hideChoice, showButtons, showChoice } from "./watch/choice.js";
import { letDrag } from "./watch/drag.js";
import { connectEnding, outcome, showEnding } from "./watch/ending.js";
import { showHistory } from "./watch/history.js";
import { Match } from "./watch/match.js";
import { Notation } from "./watch/notation.js";
import { showClocks, showGone, showPlayers } from "./watch/players.js";
import { Review, showBar } from "./watch/review.js";
import { Seat } from "./watch/seat.js";
import * as sounds from "./watch/sounds.js";
import { States } from "./watch/states.js";
import { capital, fault, listed, result } from "./watch/words.js";

const data = byId("main").dataset;
const isLive = data.kind === "match";
const RUN = 700; // milliseconds for a step while playing on automatically
const GROWN = 2000; // milliseconds between two looks at a record that grows
const SAID = 60; // lines that are kept for screen readers

const match = new Match({ playClock: Number(data.playClock), takeTime: data.peopleTakeTime === "yes" });
const seat = new Seat(data.id, data.api);
const review = new Review({
  api: `/api/records/${encodeURIComponent(data.id)}`, match, notation: () => notation,
  explore: (step, line) => exploring({ turn: step }, line), go: (step) => go(step), show: () => showBeside(),
});
const states = new States(data.api, () => asViewer());
let layout = null, lookAgain = null, scene = null, notation = new Notation({ boards: [] });
let shown = -1, shows = 0, isFollowing = true, moveList = null, forRole = null, runner = null, growing = null, lostSince = null, isInList = false;

// States

/** Return what an address says of the viewer: its seat while the match goes on and, in a game that hides something, its role. */
function asViewer() {
  if (!isLive || !seat.isTaken || match.final !== null) return "";
  const role = match.isHidden && seat.roles.size > 1 && viewRole() !== null ? `&role=${viewRole()}` : "";
  return `?as=${seat.view}${role}`;
}

/** Return the role whose knowledge the page shows, in a game that hides something; null for a watcher, and after the end. */
function viewRole() {
  if (!match.isHidden || match.final !== null || !seat.roles.size) return null;
  const open = match.toMove().filter((role) => seat.roles.has(role));
  return open.includes(forRole) || (seat.roles.has(forRole) && !open.length) ? forRole : open[0] ?? [...seat.roles][0];
}

/** Show a state: first the board, then the goals and the moves, which may take the rules longer. */
async function show(step) {
  step = Math.max(0, Math.min(step, match.states - 1));
  const isNew = shown !== step;
  shown = step;
  // A later call for the same step may ask as another role, and get its answers first.
  const call = ++shows, isPast = () => call !== shows;
  byId("slider").max = Math.max(0, match.states - 1);
  byId("slider").value = step;
  byId("step").textContent = `${step} / ${Math.max(0, match.states - 1)}`;
  showLinks();
  if (!scene || !match.states) { showBeside(); return; }
  byId("scene").setAttribute("aria-busy", "true");
  try {
    const [found, before, first] = await Promise.all([states.drawing(step), step ? states.drawing(step - 1) : null, states.drawing(0)]);
    if (isPast()) return;
    if (found.scene.revision !== layout.revision) { lookAgain(); return; } // the board is another one now
    if (isNew || scene.shown !== found.scene) scene.show(found.scene, before?.scene ?? null);
    // What is said beside the board is about the state that it shows.
    byId("scene").removeAttribute("aria-busy");
    showBeside();
    showKnowledge(found);
    keepHeight();
    showGone(match.roles, first.scene, found.scene);
    markDecisive(found);
    estimate(step);
    offerMoves(null);
    const all = await states.scene(step);
    if (all.goals) match.goals[step] = all.goals;
    if (isPast()) return;
    offerMoves(all.legal ?? null);
    showBeside();
  } catch (error) {
    if (isPast()) return;
    showBeside();
    problem(error.message);
  }
}

/** Take what a network that was learned expects in a state; a player is not told. */
async function estimate(step) {
  if (match.expected.has(step) || match.expected.get(0) === null || (asViewer() && match.final === null)) return;
  const { values } = await states.once("values", step).catch(() => ({ values: null }));
  match.expected.set(values ? step : 0, values); // a game without a network has none at any step
  if (values && shown === step) showBar(match, shown, match.tones);
}

/** Say what a role may know, in a game that hides something, and whose knowledge the page shows. */
function showKnowledge({ percepts, possible, is_complete: isComplete }) {
  const role = viewRole(), isWatcher = match.isHidden && match.final === null && !seat.roles.size;
  byId("knowledge").hidden = percepts === undefined && !isWatcher;
  if (isWatcher) { byId("knowledge").textContent = "This game hides information from its players. You watch: until the match is over you see the initial state, and how many moves are made."; return; }
  if (percepts === undefined) return;
  const saw = percepts.length ? `You perceive ${listed(percepts.map((percept) => notation.label(percept)))}.` : shown ? "You perceive nothing new." : "";
  const many = possible === 1 ? "You know the whole state." : isComplete ? `${possible} states are possible.` : `More states are possible than are kept: this shows ${possible} of them.`;
  byId("knowledge").textContent = [`You see what ${match.roles[role]} may know.`, saw, many, possible > 1 ? "What has a dotted outline is only possible." : ""].filter(Boolean).join(" ");
}

/** Keep what is below the board in its place: when fewer facts are true, and on the next visit. */
function keepHeight() {
  const root = byId("scene"), name = `height ${data.key} ${root.clientWidth}`;
  const known = Number(sessionStorage.getItem(name) ?? 0);
  const height = scene ? Math.max(root.scrollHeight, known) : known;
  root.style.minHeight = height ? `${height}px` : "";
  if (height > known) sessionStorage.setItem(name, height);
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

/** Return the address of the explorer for a line that a player thought of. */
function exploring(info, line) {
  const step = info.turn ?? shown;
  return `/games/${encodeURIComponent(data.game)}/explore?record=${encodeURIComponent(data.id)}&step=${step}#${encodeURIComponent(JSON.stringify(line))}`;
}

function showMatchPlayers() { showPlayers(match, shown, notation, seat, data.game ? exploring : null); }

function showBeside() {
  showMatchPlayers();
  showChart();
  showHistory(match, shown, notation, go);
  markThoughts(shown);
  showBar(match, shown, match.tones);
  showStatus();
  if (isLive) showEnding(match, seat, data);
  if (byId("take-back")) byId("take-back").hidden = earlierChoice() === null;
}

/** Return the latest step before this turn at which the person chose, against computers; null for none. */
function earlierChoice() {
  if (match.final !== null || seat.roles.size !== 1 || match.people.size !== 1 || match.isHidden) return null;
  const [own] = seat.roles;
  for (let step = match.steps.length - 1; step >= 0; step -= 1) if (match.choices[step]?.[own] > 1) return step;
  return null;
}

async function takeBack() {
  const step = earlierChoice();
  if (step === null) return;
  byId("take-back").disabled = true;
  await seat.takeBack(step).catch((error) => problem(error.message));
  byId("take-back").disabled = false;
}

function showChart() {
  const goals = Array.from({ length: match.states }, (_, step) => match.goals[step] ?? []);
  if (match.final && goals.length) goals[goals.length - 1] = match.final;
  drawChart(byId("chart"), { roles: match.roles, tones: match.tones, goals, estimates: match.reviewed ?? match.estimates, step: Math.max(0, shown) });
}

async function markDecisive({ facts }) {
  if (!match.final || shown !== match.states - 1 || !data.game) { scene.markDecisive([]); return; }
  const step = shown;
  const { spots } = await ask(`/api/games/${encodeURIComponent(data.game)}/decisive`, { facts }).catch(() => ({ spots: [] }));
  if (shown === step) scene.markDecisive(spots);
}

/** Let the links and the address lead to the step that is shown. */
function showLinks() {
  const told = isLive && isFollowing ? "" : `#step=${shown}`;
  if (location.hash !== told) history.replaceState(null, "", `${location.pathname}${location.search}${told}`);
  byId("svg").href = `${byId("svg").dataset.file}?step=${shown}`;
  for (const link of document.querySelectorAll("[data-here]")) {
    link.hidden = !data.game || !match.states;
    link.href = `${link.dataset.here.replace("GAME", encodeURIComponent(data.game))}?record=${encodeURIComponent(data.id)}&step=${shown}`;
  }
}

// What is said

/** Append a line for screen readers, which read all of them, one after the other. */
function tell(text) {
  const log = byId("told");
  log.append(element("p", {}, text));
  while (log.children.length > SAID) log.firstChild.remove();
}

function problem(text) {
  say(byId("status"), text, true);
  tell(text);
}

/** Return what was played in a step. */
function played(index) {
  const { moves, errors = [] } = match.steps[index];
  return match.movers(index).map((role) => {
    const label = notation.label(moves[role]), error = errors[role] ?? "";
    if (error === "TO" && seat.roles.has(role)) return `your time as ${match.roles[role]} ran out, and a random move was made for you: ${label}`;
    return error ? fault(match.roles[role], error, label) : `${match.roles[role]}: ${label}`;
  }).join("; ") || "the moves are hidden";
}

/** Return whose turn it is. */
function turnText() {
  const roles = match.toMove();
  if (!roles.length) return viewRole() === null || !match.turn ? "" : "Wait for your turn";
  const mine = roles.filter((role) => seat.roles.has(role)), others = roles.filter((role) => !seat.roles.has(role));
  const people = others.filter((role) => match.people.has(role)), players = others.filter((role) => !match.people.has(role));
  const name = (list) => listed(list.map((role) => match.roles[role]));
  return capital([
    mine.length ? `Your turn${match.roles.length > 1 ? ` as ${name(mine)}` : ""}` : "",
    people.length ? `${name(people)} ${people.length > 1 ? "are" : "is"} to move` : "",
    players.length ? `${name(players)} ${players.length > 1 ? "think" : "thinks"}…` : "",
  ].filter(Boolean).join("; "));
}

function showStatus() {
  const end = ending();
  const turn = turnText();
  const made = match.steps.length ? played(match.steps.length - 1) : "";
  const last = made ? capital(`${made}.`) : "";
  const text = lostSince !== null ? lostText() : match.isPaused ? PAUSED : end ?? [last, sentence(turn)].filter(Boolean).join(" ");
  say(byId("status"), text || match.phase, lostSince !== null || match.isPaused || match.isFailed);
  byId("status").classList.toggle("yours", !end && turn.startsWith("Your turn"));
  document.title = `${end ?? (turn ? (turn.startsWith("Your turn") ? `● ${turn}` : turn) : data.title)} · ${data.title}`;
}

const PAUSED = "This match rests, because as many others are being played as may be. It goes on as soon as one of them ends.";
const sentence = (text) => (!text || text.endsWith("…") ? text : `${text}.`);

function ending() {
  const word = outcome(match.roles, match.final, seat.roles);
  if (match.final === null) return null;
  const early = match.remark ? `the match ended early: ${match.remark}` : match.isAborted ? "the match was aborted" : "the match was not played to its end";
  const told = match.final ? [word === "A draw" ? "" : word, result(match.roles, match.final), match.remark] : [early];
  return [...told.filter(Boolean).map((text) => `${capital(text)}.`), match.verdict].filter(Boolean).join(" ");
}

// The moves of people

/** Offer the legal moves of the seats of this page; `legal` has the places to click once they are known. */
function offerMoves(legal) {
  const turn = match.turn;
  const isHere = turn && shown === match.states - 1 && turn.turn === shown;
  hideChoice();
  byId("hint").textContent = "";
  const open = isHere ? match.toMove().filter((role) => seat.roles.has(role) && turn.legal[role]) : [];
  // The place of the list stays, so that the page does not shift at each turn.
  byId("your-move").hidden = !seat.roles.size;
  byId("your-move").classList.toggle("waits", !open.length);
  if (!open.length) {
    byId("move-title").textContent = match.final === null ? "Wait for your turn" : "The match is over";
    moveList?.show([]);
    byId("who").hidden = true;
    showButtons(byId("buttons"), [], notation, null);
    scene.offer([]);
    return;
  }
  if (!open.includes(forRole)) forRole = open[0];
  byId("move-title").textContent = open.length > 1 ? "Your moves" : `Your move as ${match.roles[forRole]}`;
  byId("who").hidden = open.length < 2;
  byId("who").replaceChildren(...open.map((role) => element("label", {},
    element("input", { type: "radio", name: "for-role", checked: role === forRole, on: { change: () => { forRole = role; if (match.isHidden) show(shown); else offerMoves(legal); } } }),
    ` ${match.roles[role]}`)));
  const isFresh = byId("your-move").dataset.turn !== String(turn.turn);
  byId("your-move").dataset.turn = turn.turn;
  const places = new Map((legal?.[forRole] ?? []).map((each) => [each.move, each]));
  const moves = turn.legal[forRole].map((move) => places.get(move) ?? { move, clicks: [] });
  const take = (move) => send(forRole, turn.turn, move);
  if (moveList?.notation !== notation) moveList = new MoveList(byId("moves"), (move) => moveList.take(move), notation);
  moveList.take = take;
  moveList.show(moves);
  // A person who chose the last move in the list with the keyboard goes on there.
  if (isFresh && isInList) moveList.focus();
  showButtons(byId("buttons"), moves, notation, take);
  scene.offer(moves, take, (left) => { if (!left) hideChoice(); moveList.show(left ?? moves); });
}

/** Say why a click makes no move. */
function refuse(name) {
  if (!isLive || !seat.roles.size || match.final !== null) return;
  const open = match.toMove().filter((role) => seat.roles.has(role));
  const hint = shown !== match.states - 1 ? "This is an earlier state: go to the latest one (End) to move."
    : !open.length ? `It is not your turn. ${sentence(turnText())}`
      : !scene.moves.length ? "The legal moves are still being worked out."
        : scene.chosen.length ? `No move goes on at ${name}.` : `No legal move begins at ${name}.`;
  say(byId("hint"), hint);
}

async function send(role, turn, move) {
  isInList = byId("moves").contains(document.activeElement) && document.activeElement.matches(":focus-visible");
  match.turn?.answered.set(role, null);
  byId("late").hidden = true;
  offerMoves(null);
  show(shown); // another role of this page may be to move, and may know other things
  try {
    await seat.move(role, turn, move);
  } catch (error) {
    match.turn?.answered.delete(role);
    await show(shown);
    problem(error.message);
  }
}

function face() {
  if (!scene || !seat.roles.size || !match.states) return;
  const own = [...seat.roles][0];
  if (seat.roles.size === 1) states.drawing(0).then(({ scene: first }) => scene.face(match.isBeyond(own, first, layout))).catch(() => {});
}

async function takeSeat() {
  await seat.take().catch((error) => problem(error.message));
  const isOver = match.final !== null;
  if (byId("abort")) byId("abort").hidden = !seat.isHost || isOver;
  if (byId("give-up")) byId("give-up").hidden = !seat.roles.size || isOver;
  seat.showLinks(match.roles);
  face();
  grew();
}

// Events of the manager

const TAKE = {
  clock(event) { match.offset = event.now - Date.now() / 1000; },
  started(event) {
    states.forget();
    match.begin(event);
    match.phase = `The players prepare, for ${Number(data.startClock)} s at most…`;
    takeSeat();
    grew();
  },
  ready(event) {
    match.phase = "The match has begun.";
    match.ready(event.search);
    const late = event.errors.map((error, role) => (error ? `${match.roles[role]} was not ready in time` : "")).filter(Boolean);
    if (late.length) tell(`${listed(late)}.`);
  },
  claimed() { takeSeat(); },
  paused() { match.isPaused = true; tell(PAUSED); showStatus(); },
  turn(event) {
    match.beginTurn(event);
    const text = turnText();
    if (match.toMove().some((role) => event.choices[role] > 1)) {
      tell(sentence(text));
      if (text.startsWith("Your turn")) sounds.play("turn");
    }
    grew();
  },
  answered(event) { match.turn?.answered.set(event.role, event.seconds); showBeside(); },
  info(event) { match.note(event); showMatchPlayers(); showChart(); },
  move(event) {
    match.add(event);
    const index = event.step - 1;
    if (!event.earlier) {
      tell(`${event.step}. ${played(index)}.`);
      if ([...seat.roles].some((role) => event.errors[role] === "TO")) {
        byId("late").hidden = false;
        byId("late").textContent = capital(`${played(index)}.`);
      }
      if (match.movers(index).some((role) => !seat.roles.has(role))) sounds.play("move");
    }
    grew();
  },
  finished(event) {
    match.finish(event);
    tell(ending());
    sounds.play("end");
    for (const id of ["abort", "give-up"]) if (byId(id)) byId(id).hidden = true;
    states.forget();
    grew();
    reveal();
    if (seat.isTaken && match.final && !match.isHidden) review.begin(); // in the background
  },
};

/** Tell what the page was not told before the end. */
async function reveal() {
  if (!seat.roles.size && !match.isHidden) return;
  try {
    match.reveal(await ask(`/api/records/${encodeURIComponent(data.id)}`));
    match.know(await ask(`${data.api}/summary`));
    showBeside();
  } catch { /* the record could not be written, which the end says */ }
}

async function watchMatch() {
  await seat.take().catch(() => {}); // first: the stream is that of the seat
  const events = follow(`${data.api}/events${seat.view ? `?as=${seat.view}` : ""}`, (event) => TAKE[event.event]?.(event), {
    isWaiting: () => seat.roles.size > 0 && match.final === null,
    onBack() {
      if (lostSince === null) return;
      lostSince = null;
      byId("lost").hidden = true;
      tell("The manager is back.");
      showStatus();
    },
    async onLost() {
      lostSince ??= Date.now();
      byId("lost").hidden = false;
      match.turn = null; // it is told again
      if (scene) offerMoves(null);
      showStatus();
      const gone = await fetch(data.api).then((reply) => reply.status === 404, () => false);
      if (!gone) return;
      events.close();
      lostSince = null;
      match.finish({ goals: null, remark: "the manager no longer has this match; its record shows how far it went" });
      showStatus();
    },
  });
  const found = await ask(`${data.api}/summary${asViewer()}`).catch(() => ({ goals: [], choices: [] }));
  match.know(found);
  showBeside();
}

function lostText() {
  const seconds = Math.round((Date.now() - lostSince) / 1000);
  return `The manager does not answer${seconds ? `, for ${seconds} s now` : ""}. It may have been ended. As soon as it runs again, this page connects and the match goes on where it was.`;
}

/** Take a record, which may be that of a match in play. */
function takeRecord(record) {
  data.game = record.game ?? "";
  match.load(record, layout);
  listThoughts({ roles: match.roles, search: record.search, startSearch: record.start_search }, notation, go);
  if (record.is_growing) {
    match.final = null;
    match.phase = "The match has begun.";
    return;
  }
  match.verdict = record.mistake ? `It violates the rules at step ${record.mistake.step}: ${record.mistake.reason}.`
    : record.is_judged ? "Every step agrees with the rules." : "Its game is not known here; the board is drawn from the record alone.";
  match.isFailed = Boolean(record.mistake);
}

/** Follow the record of a match that is being played in a tournament. */
async function growWith() {
  const known = { goals: match.goals, choices: match.choices }, before = match.steps.length;
  const record = await ask(data.api).catch(() => null);
  if (!record) {
    const isGone = await fetch(data.api).then((reply) => reply.status === 404, () => false);
    if (!isGone) { setTimeout(growWith, GROWN); return; }
    match.finish({ goals: null, remark: "the tournament was interrupted, and plays this match anew when it goes on" });
    tell(ending());
    showStatus();
    return;
  }
  if (record.is_growing && record.moves.length === before) { setTimeout(growWith, GROWN); return; }
  takeRecord(record);
  match.know(known);
  if (!record.is_growing) match.know(await ask(`${data.api}/summary`).catch(() => ({ goals: [], choices: [] })));
  for (let index = before; index < match.steps.length; index += 1) tell(`${index + 1}. ${played(index)}.`);
  if (record.is_growing) setTimeout(growWith, GROWN); else tell(ending());
  await show(isFollowing ? match.states - 1 : shown);
}

async function replay() {
  const record = await ask(data.api);
  takeRecord(record);
  const day = new Date(record.start_time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  data.title = `${record.game_name || "A match"}, ${day}`;
  document.querySelector("h1").textContent = data.title;
  isFollowing = false;
  if (record.game) showGame(record.game);
  if (!match.states) { problem("The match was aborted before it began."); return; }
  const step = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
  isFollowing = record.is_growing && step >= match.states - 1;
  await show(step);
  if (record.is_growing) setTimeout(growWith, GROWN);
  else if (record.game) review.look();
  match.know(await ask(`${data.api}/summary`).catch(() => ({ goals: [], choices: [] })));
  showBeside();
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
byId("take-back")?.addEventListener("click", takeBack);
connectEnding(seat, problem);
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
for (const id of ["abort", "give-up"]) byId(id)?.addEventListener("click", () => byId(`sure-${id}`).showModal());
byId("sure-abort")?.addEventListener("close", (event) => {
  if (event.target.returnValue === "yes") seat.abort().catch((error) => problem(error.message));
});
byId("sure-give-up")?.addEventListener("close", (event) => {
  if (event.target.returnValue !== "yes") return;
  const role = seat.roles.has(forRole) ? forRole : [...seat.roles][0];
  seat.giveUp(role).catch((error) => problem(error.message));
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const action = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", p: "run", P: "run" }[event.key];
  if (action) { event.preventDefault(); ACTIONS[action](); }
});
addEventListener("hashchange", () => {
  const step = new URLSearchParams(location.hash.slice(1)).get("step");
  if (step !== null) go(Number(step));
});
setInterval(() => { showClocks(match); if (lostSince !== null) showStatus(); }, 200);
sounds.connect(byId("sounds"));

keepHeight();
byId("your-move").hidden = !(isLive && seat.key && data.people === "yes"); // its place is kept from the beginning
const asked = new URLSearchParams(location.hash.slice(1)).get("step");
if (isLive) {
  if (asked !== null) [isFollowing, shown] = [false, Number(asked)];
  watchMatch();
}
/** Take a layout, and draw all anew if there was another before. */
async function takeLayout(found, look) {
  const isFirst = layout === null;
  layout = found;
  lookAgain = look;
  match.tones = layout.tones;
  notation = new Notation(layout);
  scene = new Scene(byId("scene"), layout, data.key);
  scene.onRefused = refuse;
  scene.onTie = (moves, place, onEnd) => showChoice(moves, place, onEnd);
  letDrag(scene);
  states.forget();
  if (isFirst) return;
  face();
  await show(shown);
}

try {
  await followLayout(data.layout, takeLayout);
  if (isLive) { face(); grew(); } else await replay();
} catch (error) {
  problem(error.message);
}
