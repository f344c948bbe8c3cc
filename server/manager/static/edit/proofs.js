// Proofs: what is claimed of the game that is being edited, and the lines of play that refute it.

import { Analysis } from "../analysis.js";
import { byId, element, say } from "../page.js";

export class Proofs {
  /**
   * Take the URL of the draft, and what promises the rules (null if they are broken), shows a line of
   * moves, and goes to a place in the text.
   */
  constructor(api, { rules, onLine, onPlace }) {
    this.api = api;
    this.rules = rules;
    this.onLine = onLine;
    this.onPlace = onPlace;
    this.running = null;
    this.verdicts = [];
    byId("proofs").addEventListener("submit", (event) => { event.preventDefault(); this.begin(new FormData(event.target)); });
    byId("stop").addEventListener("click", () => this.stop("Stopped."));
  }

  async begin(form) {
    const status = byId("proof-status"), never = form.get("never").trim();
    this.stop();
    const running = new Analysis();
    this.running = running;
    this.show([]);
    say(status, "Working…");
    byId("stop").disabled = false;
    const rules = await this.rules();
    if (this.running !== running) return;
    if (rules === null) { this.end("Correct the errors of the rules first.", true); return; }
    try {
      await running.begin(`${this.api}/proofs`, { rules, seconds: Number(form.get("seconds")), never: never ? [never] : [] }, (event) => {
        if (event.event === "progress") { this.show(event.found.verdicts); say(status, `${this.verdicts.length} answered…`); }
        else this.end(event.event === "failed" ? event.error : event.stopped ? `Time is up: ${this.count()}.` : `Done: ${this.count()}.`, event.event === "failed");
      });
    } catch (error) {
      this.end(error.message, true);
    }
  }

  /** The rules have changed: end what is running, and mark what was found. */
  outdate() {
    if (this.running) this.stop("Stopped: the rules have changed.");
    else if (this.verdicts.length) say(byId("proof-status"), "The rules have changed since.");
    byId("verdicts").classList.toggle("old", this.verdicts.length > 0);
  }

  stop(note = "") {
    if (this.running) this.end(note);
  }

  end(note, isProblem = false) {
    this.running?.stop();
    this.running = null;
    byId("stop").disabled = true;
    say(byId("proof-status"), note, isProblem);
  }

  count() {
    const faults = this.verdicts.filter(({ verdict, expected }) => verdict === "refuted" && expected).length;
    const counts = ["proved", "refuted", "open"].map((verdict) => [this.verdicts.filter((each) => each.verdict === verdict).length, verdict]);
    return counts.filter(([number]) => number).map(([number, verdict]) => `${number} ${verdict}`)
      .concat(faults ? [`${faults} fault${faults === 1 ? "" : "s"}`] : []).join(", ") || "no answer in this time";
  }

  /** Return links to the rules that are probably at fault. */
  places({ lines }) {
    const links = lines.map((line) => element("button", { type: "button", on: { click: () => this.onPlace(line) } }, `line ${line}`));
    return links.length ? element("span", { class: "places" }, "Probably at fault: ", ...links.flatMap((link, index) => (index ? [", ", link] : [link])), ".") : null;
  }

  show(verdicts) {
    this.verdicts = verdicts;
    byId("verdicts").classList.remove("old");
    const rows = verdicts.map((found) => {
      const about = [found.role, found.subject].filter(Boolean).join(" ");
      const tone = found.verdict === "open" ? "" : found.verdict === "proved" ? "proved" : found.expected ? "fault" : "refuted";
      return element("tr", { class: tone },
        element("th", { scope: "row", title: found.meaning }, found.name, about ? element("span", { class: "about" }, ` ${about}`) : null, element("span", { class: "meaning" }, found.summary, this.places(found))),
        element("td", { class: "verdict" }, found.verdict, found.witness ? element("button", {
          type: "button", class: "show-line", "aria-label": `show the line for ${found.name} ${about}`, on: { click: () => this.onLine(found.witness) },
        }, found.witness.length ? `show ${found.witness.length} step${found.witness.length === 1 ? "" : "s"}` : "show the start") : null),
        element("td", {}, found.engine, found.checked ? element("span", { class: "muted" }, `, checked by ${found.checked}`) : null),
        element("td", { class: "number" }, `${found.seconds.toFixed(1)} s`));
    });
    byId("verdicts").replaceChildren(...(rows.length ? [element("table", {},
      element("thead", {}, element("tr", {}, ...["claim", "verdict", "by"].map((text) => element("th", { scope: "col" }, text)), element("th", { scope: "col", class: "number" }, "time"))),
      element("tbody", {}, ...rows))] : []));
  }
}
