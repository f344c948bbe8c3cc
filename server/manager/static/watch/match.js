// A match as its page knows it, from the events of the manager or from a record.

import { isIdle } from "./notation.js";

export class Match {
  constructor({ playClock, takeTime }) {
    Object.assign(this, { playClock, takeTime, offset: 0, tones: [], phase: "Loading…" });
    this.clear();
  }

  clear() {
    Object.assign(this, {
      roles: [], players: [], people: new Set(),
      steps: [], // { moves, errors, seconds, search } of each joint move
      startSearch: [], // for each role, what it thought during the start clock
      states: 0,
      goals: [], choices: [], // for each state: the goals and the numbers of legal moves of all roles
      marks: new Map(), reviewed: null, // of the review: marks by "step role"; for each role, a map of step to value
      expected: new Map(), // by step: the goals that a network expects; null at step 0 if there is none
      infos: [], // for each role, the latest search info
      estimates: [], // for each role, a map of step to value
      turn: null, // { turn, time, choices, legal, answered: a map of role to seconds }
      final: null, // the goals at the end; null while the match lasts, undefined if it was aborted
      isHidden: false, // whether the rules hide something
      remark: "", verdict: "", // why it ended, and what the rules say of a record
      isPaused: false, isAborted: false, isFailed: false,
    });
  }

  /** The time of the manager, in seconds. */
  now() { return Date.now() / 1000 + this.offset; }

  begin({ roles, players, people, hidden }) {
    this.clear();
    Object.assign(this, { roles, players, people: new Set(people), states: 1, isHidden: hidden });
    this.estimates = roles.map(() => new Map());
  }

  /** Take what the players thought during the start clock. */
  ready(search) {
    this.startSearch = search;
    search.forEach((info, role) => {
      if (info && info.value !== null && info.value !== undefined && !this.estimates[role]?.has(0)) this.estimates[role]?.set(0, info.value);
    });
  }

  beginTurn(event) {
    this.turn = { ...event, answered: new Map() };
    this.choices[event.turn] = event.choices;
  }

  note(info) {
    this.infos[info.role] = info;
    if (info.value !== null) this.estimates[info.role]?.set(info.turn, info.value);
  }

  add(event) {
    this.steps[event.step - 1] = event;
    this.states = event.step + 1;
    this.turn = null;
    this.estimate(event.step - 1);
  }

  finish({ goals, remark }) {
    this.final = goals ?? undefined;
    this.remark = remark;
    this.isFailed = !goals;
    this.isPaused = false;
    this.turn = null;
  }

  /** Take what the rules say of all states. */
  know({ goals, choices }) {
    goals.forEach((each, step) => { this.goals[step] ??= each; });
    choices.forEach((each, step) => { this.choices[step] ??= each; });
  }

  /** Take from the record, at the end, what was not told to those who played. */
  reveal(record) {
    record.moves.forEach((moves, step) => {
      if (!this.steps[step]) return;
      Object.assign(this.steps[step], { moves, search: record.search[step] ?? [], errors: record.errors[step + 1] ?? [] });
      this.estimate(step);
    });
    this.ready(record.start_search);
  }

  /** Take a record. */
  load(record, layout) {
    this.clear();
    const count = record.moves[0]?.length ?? (record.players.length || record.goals.length);
    this.roles = layout.roles.length ? layout.roles : Array.from({ length: count }, (_, role) => `role ${role + 1}`);
    this.players = record.players;
    this.people = new Set(record.people);
    this.estimates = this.roles.map(() => new Map());
    // A record tells when each state was reached, and so how long a step took.
    const times = record.state_times;
    this.steps = record.moves.map((moves, step) => ({
      moves, errors: record.errors[step + 1] ?? [], search: record.search[step] ?? [],
      seconds: times[step + 1] > times[step] ? moves.map(() => (times[step + 1] - times[step]) / 1000) : [],
    }));
    this.steps.forEach((_, step) => this.estimate(step));
    this.ready(record.start_search);
    this.states = record.states.length;
    this.final = record.goals.length ? record.goals : undefined;
    this.isAborted = record.aborted;
    this.remark = record.gave_up ? `${record.gave_up} gave up` : "";
  }

  estimate(step) {
    (this.steps[step].search ?? []).forEach((info, role) => {
      if (info && info.value !== null && info.value !== undefined) this.estimates[role]?.set(step, info.value);
    });
  }

  /** Whether a role has not answered yet in this turn, though it has a choice. */
  isToMove(role) {
    if (!this.turn || this.turn.answered.has(role)) return false;
    return this.turn.choices[role] > 1 || (!this.isHidden && !this.people.has(role) && this.turn.choices.every((count) => count === 1));
  }

  toMove() { return this.roles.map((_, role) => role).filter((role) => this.isToMove(role)); }

  /** The roles that chose a move in a step. */
  movers(index) {
    const { moves } = this.steps[index];
    return moves.map((_, role) => role).filter((role) => !isIdle(moves, this.choices[index], role));
  }

  /** Seconds that a role has used in all steps so far in which it had a choice. */
  used(role) {
    return this.steps.reduce((sum, { seconds }, index) => sum + (this.choices[index]?.[role] === 1 ? 0 : seconds?.[role] ?? 0), 0);
  }

  /** Whether the pieces of a role begin above those of the others, so that it sits beyond the board. */
  isBeyond(role, first, layout) {
    const [board] = layout.boards;
    if (layout.boards.length !== 1 || board.shape === "round") return false;
    const heights = { own: [], others: [] };
    for (const spot of board.spots) {
      for (const item of first.cells[spot.id] ?? []) {
        if (item.kind !== "piece" || item.blank || !this.tones.includes(item.tone)) continue;
        heights[item.tone === this.tones[role] ? "own" : "others"].push(spot.y);
      }
    }
    const mean = (list) => list.reduce((sum, y) => sum + y, 0) / list.length;
    const all = board.spots.map(({ y }) => y);
    return heights.own.length > 0 && heights.others.length > 0 && mean(heights.own) - mean(heights.others) > (Math.max(...all) - Math.min(...all)) / 4;
  }
}
