// A match in a page of its own, which needs no server: what is shown is in the page.

import { Scene } from "../board.js";
import { drawChart } from "../chart.js";
import { byId } from "../page.js";
import { showHistory } from "./history.js";
import { Match } from "./match.js";
import { Notation } from "./notation.js";
import { showPlayers } from "./players.js";
import { capital, result } from "./words.js";

const data = JSON.parse(byId("data").textContent);
const { layout, scenes, record } = data;
const match = new Match({ playClock: record.play_clock, takeTime: true });
match.tones = layout.tones;
match.load(record, layout);
match.know(data.summary);
const notation = new Notation(layout);
const scene = new Scene(byId("scene"), layout, `replay ${record.match_id}`);
const noMover = { roles: new Set() };
let shown = 0;

function go(step) {
  shown = Math.max(0, Math.min(step, scenes.length - 1));
  scene.show(scenes[shown], scenes[shown - 1] ?? null);
  byId("slider").value = shown;
  byId("step").textContent = `${shown} / ${scenes.length - 1}`;
  showPlayers(match, shown, notation, noMover);
  showHistory(match, shown, notation, go);
  const goals = Array.from({ length: match.states }, (_, at) => match.goals[at] ?? []);
  if (match.final) goals[goals.length - 1] = match.final;
  drawChart(byId("chart"), { roles: match.roles, tones: match.tones, goals, estimates: match.estimates, step: shown });
}

byId("slider").max = scenes.length - 1;
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
const actions = { first: () => go(0), back: () => go(shown - 1), on: () => go(shown + 1), last: () => go(scenes.length - 1), "turn-board": () => scene.turn() };
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
document.addEventListener("keydown", (event) => {
  const action = event.target.tagName === "INPUT" ? null : { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
  if (action) { event.preventDefault(); actions[action](); }
});
byId("status").textContent = match.final ? `${capital(result(match.roles, match.final))}.` : "The match was not played to its end.";
go(0);
