// The board of the game that is being edited, and a line of moves on it. After an edit the line is
// replayed as far as it is still legal. While the rules are broken, the last good board stays, greyed.

import { Scene } from "../board.js";
import { offerMoves, showGoals } from "../moves.js";
import { ask, byId, element, say } from "../page.js";
import { Notation } from "../watch/notation.js";

const LATE = 3000; // milliseconds after which an answer about outdated rules is not waited for

export class Line {
  /** Take the URL of the draft; call `onChange` when the line has changed. */
  constructor(api, { onChange }) {
    this.api = api;
    this.onChange = onChange;
    this.rules = null; // those of which a board is wanted; null if they are broken
    this.drawing = ""; // what the author says of the board
    this.moves = []; // the joint moves of the line, also those after the step that is shown
    this.step = 0;
    this.found = null; // the last answer
    this.asked = null; // the question that is being answered
    this.failed = null; // the question that could not be answered
    this.scene = null;
    this.drawn = ""; // the layout of the scene, as text
    byId("first").addEventListener("click", () => this.go(0));
    byId("back").addEventListener("click", () => this.go(this.step - 1));
    byId("on").addEventListener("click", () => this.go(this.step + 1));
    byId("last").addEventListener("click", () => this.go(this.found.legal));
    byId("random").addEventListener("click", () => this.play(this.found.here.legal.map((moves) => moves[Math.floor(Math.random() * moves.length)].move)));
    byId("turn-board").addEventListener("click", () => this.scene.turn());
  }

  /** Draw the board of rules that can be played. */
  update(rules, drawing) {
    if (rules === this.rules && drawing === this.drawing) return;
    [this.rules, this.drawing] = [rules, drawing];
    this.ask();
  }

  /** Keep the last good board, because the rules are broken. */
  spoil(note) {
    this.rules = null;
    this.hurry();
    this.grey(note);
  }

  /** Go to a step of the line. */
  go(step) {
    if (!this.isFresh() || step < 0 || step > this.found.legal) return;
    this.step = step;
    this.ask();
  }

  /** Make a joint move in the state that is shown. */
  play(moves) {
    const isNext = JSON.stringify(this.moves[this.step]) === JSON.stringify(moves);
    if (!isNext) this.moves = [...this.moves.slice(0, this.step), moves];
    this.step += 1;
    this.ask();
  }

  /** Show the end of another line, or any step of it. */
  show(moves, step = moves.length) {
    this.moves = moves;
    this.step = step;
    this.ask();
  }

  isFresh() { return this.rules !== null && this.found !== null && !this.asked; }

  question() { return { rules: this.rules, drawing: this.drawing, moves: this.moves, step: this.step }; }

  // One question at a time: the next one is asked when the last one has been answered.
  async ask() {
    if (this.asked) { this.hurry(); return; }
    while (this.rules !== null) {
      const question = this.question();
      this.asked = { question, since: Date.now() };
      const timer = setTimeout(() => this.grey("Working out the board…"), 400);
      let found = null, failure = null;
      try {
        found = await ask(`${this.api}/line`, question);
      } catch (error) {
        failure = error.message;
      }
      clearTimeout(timer);
      this.asked = null;
      if (JSON.stringify(question) !== JSON.stringify(this.question())) continue; // outdated
      if (found) this.draw(found);
      else this.grey(`There is no board: ${failure}`, true);
      return;
    }
  }

  /** End a long answer about rules that have changed since it was asked for. */
  hurry() {
    if (!this.asked || this.asked.question.rules === this.rules) return;
    const { asked } = this;
    setTimeout(() => {
      if (this.asked === asked && asked.question.rules !== this.rules) ask(`${this.api}/board/stop`, {}).catch(() => {});
    }, Math.max(0, asked.since + LATE - Date.now()));
  }

  grey(note, isProblem = false) {
    say(byId("board-note"), note, isProblem);
    byId("play").classList.toggle("stale", this.found !== null);
    byId("play").inert = true;
  }

  draw(found) {
    const layout = JSON.stringify(found.layout);
    if (layout !== this.drawn) {
      this.scene = new Scene(byId("scene"), found.layout, "draft");
      this.notation = new Notation(found.layout);
      this.drawn = layout;
    }
    this.found = found;
    const isCut = found.legal < this.moves.length;
    this.step = found.step;
    byId("play").hidden = false;
    byId("play").classList.remove("stale");
    byId("play").inert = false;
    say(byId("board-note"), isCut ? `The line of moves is legal up to step ${found.legal}: at step ${found.legal + 1}, ${found.reason}.` : "", isCut);
    const { here } = found;
    this.scene.show(here.scene, found.before);
    showGoals(byId("players"), found.layout, here);
    offerMoves(byId("moves"), here, {
      notation: this.notation,
      layout: found.layout, scene: this.scene, onMoves: (moves) => this.play(moves),
      onNext: (role) => say(byId("state"), `${role} is to choose, too.`),
    });
    byId("terminal").hidden = !here.terminal;
    say(byId("state"), here.terminal ? `The game is over after ${found.step} step${found.step === 1 ? "" : "s"}.` : `Step ${found.step} of ${found.legal}.`);
    byId("facts").replaceChildren(...here.facts.map((fact) => element("li", {}, fact)));
    byId("fact-count").textContent = String(here.facts.length);
    this.drawPath(found);
    byId("first").disabled = byId("back").disabled = found.step === 0;
    byId("on").disabled = byId("last").disabled = found.step === found.legal;
    byId("random").disabled = here.terminal || here.legal.some((moves) => !moves.length);
    this.onChange();
  }

  drawPath(found) {
    const labels = this.moves.map((moves, index) => found.labels[index] ?? moves.join(", "));
    byId("path").replaceChildren(...["start", ...labels].map((label, index) => element("li", {}, index > found.legal
      ? element("s", { class: "muted", title: "not legal any more" }, label)
      : element("button", { type: "button", "aria-current": index === found.step ? "step" : null, on: { click: () => this.go(index) } }, label))));
  }
}
