// The home page: the search for games, the matches in play, the results, and the removal of things.

import { ask, byId, element, say } from "./page.js";
import { SortedTable } from "./table.js";

const EVERY = 3000; // milliseconds between two looks at the matches in play

// Games

const PROFILES = 2500; // milliseconds between two looks at games that are being worked out
let profiles = {}; // what the games are like, by their ids

const words = (game) => `${game.querySelector(".name").textContent} ${game.querySelector(".name").title} ${game.querySelector(".about")?.textContent ?? ""}`.toLowerCase();

/** Return whether a game is one of those that are looked for; one that is not known yet is none of a kind. */
function isWanted(game, wanted) {
  const profile = profiles[game.dataset.game];
  const count = byId("filter-players").value, turns = byId("filter-turns").value, hidden = byId("filter-hidden").value;
  if ((count || turns || hidden) && !profile) return false;
  return wanted.every((word) => words(game).includes(word))
    && (!count || (count === "3" ? profile.roles.length > 2 : profile.roles.length === Number(count)))
    && (!turns || profile.is_simultaneous === (turns === "once"))
    && (!hidden || profile.is_hidden === (hidden === "hidden"));
}

function filterGames() {
  const wanted = byId("game-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const games = [...byId("games").children];
  for (const game of games) game.hidden = !isWanted(game, wanted);
  const found = games.filter((game) => !game.hidden).length;
  say(byId("game-count"), found < games.length ? `${found} of ${games.length} games` : "");
}
byId("game-search").addEventListener("input", filterGames);
for (const name of ["players", "turns", "hidden"]) byId(`filter-${name}`).addEventListener("change", filterGames);

/** Return in words what a game is like. */
function facts({ roles, is_simultaneous: atOnce, is_hidden: isHidden, has_chance: hasChance, steps }) {
  const count = roles.length === 1 ? "a puzzle for one" : `${roles.length} players`;
  const length = steps ? `${steps[0] === steps[1] ? steps[0] : `${steps[0]}–${steps[1]}`} steps` : "";
  return [count, roles.length > 1 && atOnce ? "at once" : "", isHidden ? "hidden information" : "", hasChance ? "chance" : "", length].filter(Boolean).join(", ");
}

/** Show the pictures of the games, as far as they are there. */
async function showProfiles() {
  const { games, left } = await ask("/api/games").catch(() => ({ games: {}, left: 1 }));
  for (const card of byId("games").children) {
    const profile = games[card.dataset.game];
    if (!profile || profiles[card.dataset.game]) continue;
    card.querySelector(".facts-of").textContent = facts(profile);
    card.querySelector(".picture").replaceChildren(element("img", { src: `/games/${encodeURIComponent(card.dataset.game)}/picture.svg`, alt: "", loading: "lazy" }));
  }
  profiles = games;
  filterGames();
  if (left) setTimeout(showProfiles, PROFILES);
}
byId("game-search").addEventListener("keydown", (event) => {
  const first = [...byId("games").children].find((game) => !game.hidden);
  if (event.key === "Enter" && event.target.value.trim() && first) location.assign(first.querySelector(".name").href);
});

// Matches in play

let playing = null; // the ids of the matches in play

/** Return in words how long ago something was. */
function ago(time) {
  const minutes = Math.floor((Date.now() - time) / 60000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

function match({ id, game, players, steps, began, rests, waits_for: waitsFor, failed }) {
  const state = failed !== null ? "failed" : rests ? "over" : waitsFor.length ? "waits" : "live";
  const told = { failed: "ended early", over: "rests", waits: `waits for ${waitsFor.join(", ")}`, live: "in play" }[state];
  const key = localStorage.getItem(`host ${id}`); // a guest has none
  const name = `the match of ${game}`;
  return element("li", {},
    element("a", { href: `/matches/${encodeURIComponent(id)}` }, game), " ",
    element("span", { class: "muted" }, players.join(" · ")), " ",
    element("span", { class: `tag ${state}`, title: rests ? "It goes on when its page is opened" : null }, told), " ",
    element("span", { class: "small muted" }, `${failed ?? `${steps} ${steps === 1 ? "step" : "steps"}`}, `, element("span", { "data-began": began }, ago(began))), " ",
    failed !== null ? element("button", { type: "button", class: "remove", "data-remove": `/matches/${encodeURIComponent(id)}/remove`, "data-what": name, "aria-label": `remove ${name}` }, "remove")
      : key ? element("button", { type: "button", class: "remove", "aria-label": `end ${name}`, on: { click: () => end(id, key, name) } }, "end") : null);
}

/** End a match that this browser began, without a result, if the person is sure. */
function end(id, key, name) {
  byId("end-what").textContent = name;
  byId("sure-end").returnValue = "";
  byId("sure-end").onclose = async () => {
    if (byId("sure-end").returnValue !== "yes") return;
    await ask(`/api/matches/${encodeURIComponent(id)}/abort`, { key }).catch((error) => say(byId("match-count"), error.message, true));
    await showMatches();
  };
  byId("sure-end").showModal();
}

/** Show the matches whose words have what is searched for. */
function filterMatches() {
  const wanted = byId("match-search").value.toLowerCase().split(/\s+/).filter(Boolean), rows = [...byId("matches").children];
  for (const row of rows) row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
  byId("match-search").hidden = rows.length < 4;
  say(byId("match-count"), wanted.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} matches` : "");
}
byId("match-search").addEventListener("input", filterMatches);

async function showMatches() {
  if (document.hidden) return;
  const { matches } = await ask("/api/matches").catch(() => ({ matches: null }));
  if (!matches) return; // the manager ends, or is busy
  const list = byId("matches"), shown = JSON.stringify(matches);
  if (list.dataset.shown !== shown) { // else a focused link would lose the focus
    list.dataset.shown = shown;
    list.replaceChildren(...matches.map(match));
    byId("no-matches").hidden = matches.length > 0;
    filterMatches();
  }
  for (const age of list.querySelectorAll("[data-began]")) age.textContent = ago(Number(age.dataset.began));
  const before = playing;
  playing = new Set(matches.filter(({ failed }) => failed === null).map(({ id }) => id));
  if (before && [...before].some((id) => !playing.has(id))) await showResults();
}

// Results

const day = (time) => (time === undefined ? "unknown" : new Date(time).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }));
const what = ({ error, game, time }) => (error ? "the file" : `the record of ${game}, ${day(time)}`);
const goals = (result) => (result.error ? "cannot be read" : result.goals.length ? result.goals.join(" – ") : "not finished");

const results = new SortedTable(byId("results"), {
  label: "Results",
  columns: [
    { name: "date", className: "date", key: ({ time }) => time ?? null, cell: ({ name, time }) => element("a", { href: `/records/${encodeURIComponent(name)}` }, day(time)) },
    { name: "game", className: "game", key: ({ game }) => game ?? null, cell: ({ game, name }) => game ?? name },
    { name: "players", className: "who-played", key: ({ players }) => players?.join(" ") ?? null, cell: ({ players, error }) => players?.join(" – ") || error || "unknown" },
    { name: "goals", className: "goals", key: (result) => result.goals?.[0] ?? null, cell: goals },
    { name: "steps", className: "steps", isNumber: true, key: ({ steps }) => steps ?? null, cell: ({ steps }) => String(steps ?? "–") },
    { name: "removal", className: "removing", isUnseen: true, cell: (result) => element("button", {
      type: "button", class: "remove", "data-remove": `/records/${encodeURIComponent(result.name)}/remove`, "data-what": what(result), "aria-label": `remove ${what(result)}`,
    }, "remove") },
  ],
  words: (result) => [result.name, result.game, ...(result.players ?? []), day(result.time), goals(result)].join(" "),
  onCount: (found, all) => {
    byId("result-search").hidden = all < 2;
    say(byId("result-count"), !all ? "The results of your matches appear here." : found === all ? `${all} ${all === 1 ? "record" : "records"}` : `${found} of ${all} records`);
  },
});

async function showResults() {
  try {
    results.fill((await ask("/api/results")).results);
  } catch (error) {
    say(byId("result-count"), error.message, true);
  }
}

byId("result-search").addEventListener("input", (event) => results.search(event.target.value));

// Removal, which is confirmed

document.addEventListener("click", (event) => {
  const { remove, what: removed } = event.target.dataset ?? {};
  if (!remove) return;
  byId("removal-what").textContent = removed;
  byId("removal").querySelector("form").action = remove;
  byId("removal").showModal();
});
byId("keep").addEventListener("click", () => byId("removal").close());

await Promise.all([showMatches(), showResults()]);
showProfiles(); // last: they take the longest
setInterval(showMatches, EVERY);
