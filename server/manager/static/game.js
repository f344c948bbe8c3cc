// The page of a game: its board, the findings of the checker, and the form for a match.

import { Analysis } from "./analysis.js";
import { Scene } from "./board.js";
import { followLayout } from "./layouts.js";
import { ask, byId, element, number, say } from "./page.js";
import { playing } from "./watch/words.js";

const { api, key } = byId("main").dataset;

async function check() {
  const status = byId("check-status");
  try {
    const { findings, more, errors, roles, is_hidden: isHidden } = await ask(`${api}/check`);
    say(status, told(findings.length + more, errors), errors > 0);
    byId("findings").replaceChildren(...findings.map((finding) => element("li", {},
      element("span", { class: finding.severity }, `line ${finding.line}, column ${finding.column}: ${finding.message}`),
      element("span", { class: "hint" }, `${finding.hint} (${finding.code})`),
    )));
    byId("hidden-note").hidden = !isHidden;
    // Many a game has errors and can be played: it has roles if a reasoner can take the rules.
    if (roles.length) setUp(playing(roles).map((role) => roles[role]));
    return roles.length > 0;
  } catch (error) {
    say(status, error.message, true);
    return false;
  }
}

/** Return in words how many findings there are, and how many of them are errors. */
function told(count, errors) {
  if (count < 2) return count ? `1 finding, ${errors ? "an error" : "no error"}` : "No findings.";
  if (errors === count) return `${count} errors`;
  return `${count} findings, ${errors || "none"} of them ${errors === 1 ? "an error" : "errors"}`;
}

/** Begin the match of a form; where that is refused, the form says why. */
async function begin(event) {
  event.preventDefault();
  const form = event.target, problem = form.querySelector(".problem"), button = form.querySelector(".primary");
  problem.hidden = true;
  button.disabled = true;
  try {
    const told = form.id === "play-now" ? playNow(form) : new FormData(form);
    location.assign((await ask(`/api${new URL(form.action).pathname}`, told)).url);
  } catch (error) {
    if (error.status === 503 && form.id === "setup") { form.submit(); return; } // the page that follows has links to the matches in play
    problem.hidden = false;
    say(problem, error.message, true);
    button.disabled = false;
  }
}
for (const name of ["setup", "play-now"]) byId(name).addEventListener("submit", begin);

/** Return what the form for a match would say, of a person against a level. */
function playNow(form) {
  const level = form.querySelector("[name=level]:checked"), side = form.elements.side.value;
  const own = side === "" ? Math.floor(Math.random() * seats.length) : Number(side);
  const told = new FormData();
  seats.forEach((_, number) => told.set(`kind-${number}`, number === own ? "human" : level.value));
  told.set("start_clock", seats.length > 1 ? level.dataset.start : 1);
  told.set("play_clock", level.dataset.play);
  told.set("humans_take_time", "on");
  told.set("start", document.querySelector("#setup [name=start]").value);
  return told;
}

/** Say in words who moves, what a player can get, and how long a match lasts. */
function explainRules({ roles, is_simultaneous: atOnce, is_hidden: isHidden, has_chance: hasChance, first, steps, goals }) {
  const players = roles.length === 1 ? `A puzzle for one: ${roles[0]}.` : `${roles.length} players: ${roles.join(", ")}.`;
  const turns = roles.length === 1 ? "" : atOnce ? "They choose at once in some turns." : first.length === 1 ? `They move in turn; ${first[0]} begins.` : "They move in turn.";
  const length = steps ? `A random match lasts ${steps[0] === steps[1] ? steps[0] : `${steps[0]} to ${steps[1]}`} steps.` : "";
  const ends = goals.length ? `A player gets ${goals.length < 7 ? `${goals.slice(0, -1).join(", ")}${goals.length > 1 ? " or " : ""}${goals.at(-1)}` : `${goals[0]} to ${goals.at(-1)}`} of 100.` : "";
  say(byId("how-rules"), [players, turns, hasChance ? "Chance plays, too." : "", isHidden ? "Players do not see all that happens." : "", length, ends].filter(Boolean).join(" "));
}

const AGAIN = 3000; // milliseconds between two looks at a game that is being worked out

async function explain() {
  try {
    const profile = await ask(`${api}/profile`);
    explainRules(profile);
    if (!profile.is_settled) setTimeout(explain, AGAIN);
  } catch (error) {
    say(byId("how-rules"), error.message, true);
  }
}

let seats = [];

function setUp(roles) {
  seats = roles;
  const form = byId("play-now");
  byId("levels").hidden = byId("sides").hidden = roles.length < 2;
  form.elements.side.replaceChildren(element("option", { value: "" }, "either side, at random"), ...roles.map((role, number) => element("option", { value: number }, role)));
  form.querySelector(".primary").disabled = false;
  byId("seats").replaceChildren(...roles.map(seat));
  byId("setup").hidden = false;
}

function seat(role, number) {
  const options = byId("players").content.cloneNode(true);
  const choice = element("select", { name: `kind-${number}`, id: `kind-${number}` });
  choice.append(options);
  choice.value = number === 0 ? "human" : [...choice.options].some(({ value }) => value === "alphabeta") ? "alphabeta" : "random";
  const spec = element("input", { name: `spec-${number}`, "aria-label": `options of ${role}`, autocomplete: "off" });
  const summary = element("span", { class: "small muted" });
  const explain = () => {
    const option = choice.selectedOptions[0];
    spec.value = "";
    spec.hidden = false;
    spec.required = choice.value === "url";
    if (choice.value === "human") spec.placeholder = "name, if you like";
    else if (choice.value === "url") spec.placeholder = "http://host:9147";
    else {
      spec.placeholder = option.dataset.options || "no options";
      spec.hidden = !option.dataset.options;
    }
    summary.textContent = option.dataset.summary ?? "";
  };
  choice.addEventListener("change", explain);
  explain();
  return element("div", { class: "seat" }, element("label", { for: choice.id }, role), choice, element("div", { class: "details" }, spec, summary));
}

/** Return the state in which the match begins: one that the address names, or the initial one. */
async function start() {
  const asked = new URLSearchParams(location.search), field = document.querySelector("[name=start]");
  if (asked.has("record")) {
    const [record, step] = [asked.get("record"), Number(asked.get("step") ?? 0)];
    const found = await ask(`/api/records/${encodeURIComponent(record)}/drawings/${step}`);
    if (step) field.value = JSON.stringify({ record, step });
    return { found, told: step ? `The match begins here: after step ${step} of ${record}.` : "The initial state." };
  }
  const moves = JSON.parse(decodeURIComponent(location.hash.slice(1)) || "[]");
  if (!moves.length) return { found: await ask(`${api}/draw`, { facts: null }), told: "The initial state." };
  const { here, legal, reason } = await ask(`${api}/line`, { moves, step: moves.length });
  if (legal < moves.length) throw new Error(`the line of the address is not legal: ${reason}`);
  field.value = JSON.stringify({ moves });
  return { found: here, told: `The match begins here: after ${moves.length} step${moves.length === 1 ? "" : "s"}.` };
}

async function draw() {
  const status = byId("scene-status");
  try {
    await followLayout(`${api}/layout`, async (layout, look) => {
      const scene = new Scene(byId("scene"), layout, key);
      const { found, told } = await start();
      if (found.scene.revision === layout.revision) scene.show(found.scene);
      else look();
      say(status, told);
    });
  } catch (error) {
    say(status, error.message, true);
  }
}

// What has been learned of the game by self-play

/** Say in words what a network is worth. */
function worth(learned) {
  if (!learned) return "Nothing has been learned of this game yet.";
  const much = `${number(learned.plies)} joint moves of self-play, ${number(learned.matches)} matches`;
  if (learned.score === null) return `${much}; it has not been tried yet.`;
  return `${much}. It got ${Math.round(100 * learned.score)} % of the goals in ${learned.trial} short matches against random playouts${learned.trusted ? ": auto plays by it, and analyses use it." : ": too little for auto to play by it."}`;
}

async function showLearned() {
  const { learned, can_learn: canLearn } = await ask(`${api}/learned`);
  byId("learned").hidden = !canLearn;
  say(byId("learned-status"), worth(learned));
}

async function learn() {
  const status = byId("learned-status"), button = byId("learn");
  button.disabled = true;
  say(status, "Learning begins…");
  try {
    await new Analysis().begin(`${api}/analyses`, { kind: "learn", seconds: 60 }, (event) => {
      if (event.event === "failed") say(status, event.error, true);
      else if (event.event !== "progress") return;
      else if ("learned" in event.found) say(status, `${worth(event.found.learned)}${event.found.kept ? "" : " It could not be kept."}`, !event.found.kept);
      else say(status, `Learning: ${number(event.found.plies)} joint moves, ${number(Math.round(event.found.rate))} a second, ${number(event.found.matches)} matches…`);
    }, { onEnd: () => { button.disabled = false; } });
  } catch (error) {
    say(status, error.message, true);
    button.disabled = false;
  }
}

byId("learn").addEventListener("click", learn);

if (await check()) {
  await draw(); // the board comes first: the same process answers both
  await explain();
  await showLearned().catch(() => {});
} else say(byId("scene-status"), "Fix its errors to see the board.");
