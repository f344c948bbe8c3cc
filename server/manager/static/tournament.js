// The page of a tournament: standings that follow its matches, and all of them in a table.

import { ask, byId, element, say } from "./page.js";
import { SortedTable } from "./table.js";

const EVERY = 3000; // milliseconds between two looks whether more was played
const { page, played, finished } = byId("main").dataset;
let known = Number(played);

const table = new SortedTable(byId("match-list"), {
  label: "Matches",
  columns: [
    { name: "match", className: "match", isNumber: true, key: ({ number }) => number, cell: ({ number, url }) => element("a", { href: url, "aria-label": `replay match ${number}` }, String(number)) },
    { name: "round", className: "round", isNumber: true, key: ({ round }) => round, cell: ({ round }) => String(round) },
    { name: "game", className: "game", key: ({ game }) => game, cell: ({ game }) => game },
    { name: "players", className: "who-played", key: ({ players }) => players.join(" "), cell: ({ players, url }) => element("a", { href: url }, players.join(" – ")) },
    { name: "goals", className: "goals", key: ({ goals }) => goals?.[0] ?? null, cell: ({ goals }) => goals?.join(" – ") ?? "aborted" },
    { name: "steps", className: "steps", isNumber: true, key: ({ steps }) => steps, cell: ({ steps }) => String(steps) },
    { name: "errors", className: "remark", key: ({ remark }) => remark || null, cell: ({ remark }) => remark },
  ],
  words: ({ number, game, players, goals, remark }) => [number, game, ...players, goals?.join(" – ") ?? "aborted", remark].join(" "),
  onCount: (found, all) => say(byId("match-count"), !all ? "None was played yet." : found === all ? `${all} ${all === 1 ? "match" : "matches"}` : `${found} of ${all} matches`),
});
byId("match-search").addEventListener("input", (event) => table.search(event.target.value));

const running = new SortedTable(byId("running-list"), {
  label: "Matches that are being played",
  columns: [
    { name: "match", className: "match", isNumber: true, key: ({ number }) => number, cell: ({ number }) => String(number) },
    { name: "game", className: "game", key: ({ game }) => game, cell: ({ game }) => game },
    { name: "players", className: "who-played", key: ({ players }) => players.join(" "), cell: ({ players }) => players.join(" – ") },
    { name: "steps", className: "steps", isNumber: true, key: ({ steps }) => steps, cell: ({ steps }) => String(steps) },
    { name: "watch", className: "removing", isUnseen: true, cell: ({ number, url }) => element("a", { href: url, "aria-label": `watch match ${number}` }, "Watch") },
  ],
  words: () => "",
  onCount: (found) => { byId("running").hidden = !found; },
});
let shownRunning = "";

/** Show the matches that are being played; a focused link keeps the focus. */
function showRunning(matches) {
  const told = JSON.stringify(matches);
  if (told === shownRunning) return;
  shownRunning = told;
  const focused = byId("running-list").contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  running.fill(matches);
  if (focused) [...byId("running-list").querySelectorAll("a")].find((link) => link.getAttribute("aria-label") === focused)?.focus({ preventScroll: true });
}

async function showMatches() {
  try {
    table.fill((await ask(`/api${page}/matches${location.search}`)).matches);
  } catch (error) {
    say(byId("match-count"), error.message, true);
  }
}

/** Replace the standings by what the manager has made of the matches so far. */
async function follow() {
  if (document.hidden) return;
  const { played: now, running: matches } = await ask(`/api${page}`).catch(() => ({ played: known, running: null }));
  if (matches) showRunning(matches);
  if (now === known) return;
  const reply = await fetch(`${page}/standings`);
  if (!reply.ok) return;
  known = now;
  // The manager has escaped all names; a parsed page runs no script.
  const told = new DOMParser().parseFromString(await reply.text(), "text/html");
  const focused = [...byId("standings").querySelectorAll("a, .wide")].indexOf(document.activeElement);
  const scrolled = [...byId("standings").querySelectorAll(".wide")].map((each) => each.scrollLeft);
  byId("standings").replaceChildren(...told.body.childNodes);
  byId("standings").querySelectorAll(".wide").forEach((each, number) => { each.scrollLeft = scrolled[number] ?? 0; });
  if (focused >= 0) byId("standings").querySelectorAll("a, .wide")[focused]?.focus({ preventScroll: true });
  await showMatches();
}

await showMatches();
if (finished === "no") {
  follow();
  setInterval(follow, EVERY);
}
