// What was good and bad in a match: the evaluation over the match, and the mistakes with the better line.

import { ask, byId, element, follow, say } from "../page.js";
import { playing } from "./words.js";

const MARKS = { "?": "a mistake", "??": "a blunder" };

export class Review {
  /** `page` has the match, its notation, the address of the explorer for a line, and shows a step. */
  constructor(page) {
    Object.assign(this, { page, steps: [], isBegun: false });
    byId("review-begin").addEventListener("click", () => this.begin());
  }

  /** Take the review that is kept, if there is one. */
  async look() {
    byId("review").hidden = false;
    const { review } = await ask(`${this.page.api}/review`).catch(() => ({ review: null }));
    if (review) this.take(review, true);
  }

  /** Have the match reviewed, which goes on without this page. */
  async begin() {
    if (this.isBegun) return;
    this.isBegun = true;
    byId("review").hidden = false;
    byId("review-begin").disabled = true;
    const status = byId("review-status");
    say(status, "The match is being reviewed…");
    try {
      const { id, review } = await ask(`${this.page.api}/review`, {});
      if (review) { this.take(review, true); return; }
      follow(`/api/analyses/${id}/events`, (event) => {
        if (event.event === "failed") say(status, event.error, true);
        else if (event.event === "progress") { this.isComplete = event.found.complete; this.take(event.found, this.isComplete); }
        else if (!this.isComplete) this.endEarly();
      });
    } catch (error) {
      this.isBegun = false;
      byId("review-begin").disabled = false;
      say(status, error.message, true);
    }
  }

  /** Say that there was no time for all states, as on a busy machine, and let the person try again. */
  endEarly() {
    const wrong = this.steps.filter(({ mark }) => mark).length;
    say(byId("review-status"), `There was no time to review all moves. Of the last ${this.steps.length}, ${wrong} lose something.`);
    this.isBegun = false;
    byId("review-begin").disabled = byId("review-begin").hidden = false;
  }

  take({ steps }, isComplete) {
    const { match } = this.page;
    this.steps = steps;
    match.marks = new Map(steps.filter(({ mark }) => mark).map(({ step, role, mark }) => [`${step} ${role}`, mark]));
    match.reviewed = match.roles.map((_, number) => new Map(steps.filter(({ role }) => role === number).map(({ step, value }) => [step, value])));
    byId("review-begin").hidden = isComplete;
    const wrong = steps.filter(({ mark }) => mark);
    say(byId("review-status"), `${isComplete ? "" : "The match is being reviewed… "}${wrong.length ? `${wrong.length} ${wrong.length === 1 ? "move loses" : "moves lose"} something:` : isComplete ? "No move loses much." : ""}`);
    byId("review-list").replaceChildren(...wrong.map((entry) => this.row(entry)));
    this.page.show();
  }

  row({ step, role, mark, value, after, proven, line }) {
    const { match, notation, explore, go } = this.page;
    return element("li", {},
      element("button", { type: "button", class: "to-step", "aria-label": `to the state before move ${step + 1}`, on: { click: () => go(step) } }, `${step + 1}.`), " ",
      element("span", { class: `tone-${match.tones[role]}` }, element("span", { class: "dot" })), " ",
      element("b", {}, `${match.roles[role]}: ${notation().label(match.steps[step]?.moves[role] ?? "")}`), " ",
      element("span", { class: `tag ${mark === "??" ? "failed" : "waits"}`, title: MARKS[mark] }, mark), " ",
      element("span", { class: "small" }, `${Math.round(value)} → ${Math.round(after)}${proven ? ", proven" : ""}`),
      line.length ? element("span", { class: "small" }, ". Better: ", ...line.flatMap((moves, at) => [at ? " → " : "", element("a", { href: explore(step, line.slice(0, at + 1)) }, notation().joint(moves))])) : "");
  }
}

/** Show in a bar how the first two players stand at a step, by the review or by what a player expects. */
export function showBar(match, step, tones) {
  const players = playing(match.roles);
  const bar = byId("bar");
  const value = players.length === 2 ? standing(match, step, players) : null;
  bar.hidden = value === null;
  if (value === null) return;
  const [one, other] = players;
  bar.firstElementChild.className = `bar-part tone-${tones[one]}`;
  bar.lastElementChild.className = `bar-part tone-${tones[other]}`;
  bar.firstElementChild.style.flexGrow = Math.max(0.02, value / 100);
  bar.lastElementChild.style.flexGrow = Math.max(0.02, 1 - value / 100);
  bar.setAttribute("aria-label", `${match.roles[one]} gets about ${Math.round(value)} of 100`);
}

/** Return what the first player seems to get at a step; null if that is not known. */
function standing(match, step, [one, other]) {
  if (match.final && step === match.states - 1) {
    const all = match.final[one] + match.final[other];
    return all ? (100 * match.final[one]) / all : 50;
  }
  for (let at = step; at >= 0 && at > step - 2; at -= 1) {
    for (const known of [match.reviewed, match.estimates]) {
      if (known?.[one]?.has(at)) return known[one].get(at);
      if (known?.[other]?.has(at)) return 100 - known[other].get(at);
    }
  }
  const expected = match.expected.get(step);
  const all = expected ? expected[one] + expected[other] : 0;
  return all ? (100 * expected[one]) / all : null;
}
