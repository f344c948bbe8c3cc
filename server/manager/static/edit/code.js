// A text area for rules in GDL. A copy of its text lies beneath it, in colours, with numbers of lines
// and marks for findings. The text area remains what it is: the browser undoes, searches and reads it.

import { element } from "../page.js";

const TOKEN = /;.*|[()]|[^\s();]+|\s+/g;
const KEYWORDS = new Set(["<=", "role", "init", "true", "next", "legal", "does", "goal", "terminal", "base", "input", "sees", "not", "or", "distinct"]);
const INDENT = 4;
const EDGE = 8; // pixels to be seen above and below the line with the caret
// Chromium inserts line by line, and lays out the whole text after each: 1,000 lines take it seconds.
const MAX_UNDONE = 200; // lines of an insertion that the browser can undo

export class Code {
  /** Take the element with the text area; call `onInput` after changes, `onCaret` after movements. */
  constructor(root, { onInput, onCaret }) {
    this.root = root;
    this.area = root.querySelector("textarea");
    this.copy = root.querySelector(".code-lines");
    this.onInput = onInput;
    this.onCaret = onCaret;
    this.lines = []; // the text of each line
    this.marks = new Map(); // by line: findings, as { start, end, severity, text }
    this.pair = new Map(); // by line: the parentheses at the caret, as columns
    this.mayLeave = false;
    this.isEditing = false; // Chromium reports each line of an insertion by itself
    this.area.addEventListener("input", () => { if (!this.isEditing) this.changed(); });
    this.area.addEventListener("keydown", (event) => this.press(event));
    this.area.addEventListener("blur", () => { this.mayLeave = false; });
    this.area.addEventListener("mousemove", (event) => this.explain(event));
    document.addEventListener("selectionchange", () => { if (document.activeElement === this.area && !this.isEditing) this.moved(); });
    this.read();
  }

  get text() { return this.area.value; }

  /** Set the text at first: the browser cannot undo this. */
  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.read();
  }

  /** Replace the text. The browser can undo that, unless it is long. */
  replace(text) {
    const old = this.text;
    text = text.replace(/\r\n?/g, "\n");
    let start = 0, same = 0;
    const shorter = Math.min(old.length, text.length);
    while (start < shorter && old[start] === text[start]) start += 1;
    while (same < shorter - start && old[old.length - 1 - same] === text[text.length - 1 - same]) same += 1;
    if (start === old.length && start === text.length) return;
    this.edit(start, old.length - same, text.slice(start, text.length - same));
  }

  /** Show findings, as the checker gives them. */
  mark(findings) {
    const before = this.marks;
    this.marks = new Map();
    for (const finding of findings) {
      const line = finding.line - 1;
      if (this.lines[line] === undefined) continue;
      const { start, end } = this.extent(this.lines[line], finding.column);
      this.marks.set(line, [...(this.marks.get(line) ?? []), { start, end, severity: finding.severity, text: `${finding.message} (${finding.hint})` }]);
    }
    for (const line of new Set([...before.keys(), ...this.marks.keys()])) this.draw(line);
    this.onCaret();
  }

  /** The number of the line with the caret, from 1. */
  get line() { return this.place(this.area.selectionStart).line + 1; }

  /** Put the caret at a line and a column, both from 1, and select what is there. */
  go(line, column) {
    const text = this.lines[line - 1] ?? "";
    const { start, end } = this.extent(text, column);
    const offset = this.offset(line - 1);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(offset + start, offset + end);
    this.moved();
    this.reveal(line - 1, true);
  }

  // Drawing

  changed() {
    this.read();
    this.onInput();
  }

  read() {
    const lines = this.text.split("\n");
    let start = 0, same = 0;
    const shorter = Math.min(lines.length, this.lines.length);
    while (start < shorter && lines[start] === this.lines[start]) start += 1;
    while (same < shorter - start && lines[lines.length - 1 - same] === this.lines[this.lines.length - 1 - same]) same += 1;
    const gone = this.lines.length - same - start, come = lines.length - same - start;
    const before = this.lines;
    this.lines = lines;
    // Findings stay at their lines until the checker has answered.
    this.marks = new Map([...this.marks].filter(([line]) => line < start || line >= before.length - same)
      .map(([line, marks]) => [line < start ? line : line + come - gone, marks]));
    this.pair = new Map();
    for (const shown of this.copy.querySelectorAll(".pair")) shown.classList.remove("pair");
    for (let count = 0; count < gone; count += 1) this.copy.children[start].remove();
    const fresh = Array.from({ length: come }, () => element("div", { class: "code-line" }));
    if (start < this.copy.children.length) this.copy.children[start].before(...fresh);
    else this.copy.append(...fresh);
    for (let line = start; line < start + come; line += 1) this.draw(line);
    this.root.style.setProperty("--digits", String(lines.length).length);
    this.moved();
  }

  draw(line) {
    const shown = this.copy.children[line];
    if (!shown) return;
    const marks = this.marks.get(line) ?? [], pair = this.pair.get(line) ?? [];
    const cuts = [...marks.flatMap(({ start, end }) => [start, end]), ...pair.flatMap((column) => [column, column + 1])];
    const parts = [];
    let at = 0, isHead = false;
    for (const [token] of this.lines[line].matchAll(TOKEN)) {
      const kind = kindOf(token, isHead);
      if (token.trim()) isHead = token === "(";
      const ends = [...new Set(cuts.filter((cut) => cut > at && cut < at + token.length)), at + token.length].sort((a, b) => a - b);
      for (const end of ends) {
        const severities = marks.filter((mark) => mark.start <= at && end <= mark.end).map(({ severity }) => severity);
        const classes = [kind, severities.includes("error") ? "marked error" : severities.length ? "marked warning" : "", pair.includes(at) ? "pair" : ""].filter(Boolean).join(" ");
        const text = this.lines[line].slice(at, end);
        parts.push(classes ? element("span", { class: classes }, text) : text);
        at = end;
      }
    }
    shown.replaceChildren(...parts);
    shown.className = `code-line${marks.some(({ severity }) => severity === "error") ? " has-error" : marks.length ? " has-warning" : ""}`;
  }

  /** Return where the thing at a column begins and ends, which counts whole characters from 1. */
  extent(text, column) {
    let start = [...text].slice(0, column - 1).join("").length;
    if (!text[start]?.trim()) start = Math.max(0, text.search(/\S/));
    if (text[start] !== "(") return { start, end: start + (/^(?:[^\s();]+|.)/.exec(text.slice(start))?.[0].length ?? 0) };
    const end = closing(text, start);
    return { start, end: end === null ? text.replace(/\s*(?:;.*)?$/, "").length : end + 1 };
  }

  explain(event) {
    if (!this.marks.size) { this.area.title = ""; return; }
    const line = document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.classList.contains("code-line"));
    const number = line ? [...this.copy.children].indexOf(line) : -1;
    const text = (this.marks.get(number) ?? []).map((mark) => mark.text).join("\n");
    if (this.area.title !== text) this.area.title = text;
  }

  // The caret

  moved() {
    const at = this.area.selectionStart;
    const before = this.pair;
    this.pair = new Map();
    if (at === this.area.selectionEnd) {
      const ends = matching(this.text, at);
      for (const end of ends ?? []) {
        const { line, column } = this.place(end);
        this.pair.set(line, [...(this.pair.get(line) ?? []), column]);
      }
    }
    for (const line of new Set([...before.keys(), ...this.pair.keys()])) this.draw(line);
    if (document.activeElement === this.area) this.reveal(this.place(this.area.selectionEnd).line);
    this.onCaret();
  }

  reveal(line, isJump = false) {
    const shown = this.copy.children[line];
    if (!shown) return;
    const top = shown.offsetTop - EDGE, bottom = shown.offsetTop + shown.offsetHeight + EDGE, height = this.root.clientHeight;
    if (top < this.root.scrollTop || bottom > this.root.scrollTop + height) this.root.scrollTop = isJump ? top - height / 3 : top < this.root.scrollTop ? top : bottom - height;
    if (isJump) this.root.scrollIntoView({ block: "nearest" });
  }

  place(offset) {
    const before = this.text.slice(0, offset);
    const line = before.split("\n").length - 1;
    return { line, column: offset - (before.lastIndexOf("\n") + 1) };
  }

  offset(line) { return this.lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0); }

  // Keys

  press(event) {
    if (event.isComposing) return;
    const { selectionStart: start, selectionEnd: end } = this.area;
    if (event.key === "Escape") { this.mayLeave = true; return; }
    if (event.key === "Tab" && !event.ctrlKey && !event.altKey && !event.metaKey && !this.mayLeave) {
      event.preventDefault();
      if (event.shiftKey || this.text.slice(start, end).includes("\n")) this.shift(event.shiftKey ? outdented : (line) => (line.trim() ? " ".repeat(INDENT) + line : line));
      else { const { column } = this.place(start); this.insert(" ".repeat(INDENT - (column % INDENT))); }
    } else if (event.key === "Enter" && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.insert(`\n${" ".repeat(this.indent(start))}`);
    } else if (event.key === "/" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      const block = this.text.slice(this.offset(this.place(start).line), end).split("\n");
      const isOut = block.every((line) => !line.trim() || /^\s*;/.test(line));
      this.shift((line) => (isOut ? line.replace(/^(\s*); ?/, "$1") : line.trim() ? line.replace(/^\s*/, "$&; ") : line));
    }
    if (!["Shift", "Control", "Alt", "Meta"].includes(event.key)) this.mayLeave = false;
  }

  insert(text) { this.edit(this.area.selectionStart, this.area.selectionEnd, text); }

  /** Replace a part of the text, so that the browser can undo it if it is not long. */
  edit(start, end, text) {
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end);
    this.isEditing = true;
    const isLong = text.split("\n").length > MAX_UNDONE;
    const isDone = isLong ? false : text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!isDone) this.area.setRangeText(text, start, end, "end");
    this.isEditing = false;
    this.changed();
  }

  /** Change every line of the selection. */
  shift(change) {
    const first = this.place(this.area.selectionStart).line;
    let last = this.place(this.area.selectionEnd).line;
    if (last > first && this.place(this.area.selectionEnd).column === 0) last -= 1;
    const from = this.offset(first), until = from + this.lines.slice(first, last + 1).join("\n").length;
    const text = this.lines.slice(first, last + 1).map(change).join("\n");
    if (text === this.text.slice(from, until)) return;
    this.edit(from, until, text);
    if (first === last) this.area.setSelectionRange(from + text.length, from + text.length);
    else this.area.setSelectionRange(from, from + text.length);
  }

  /** Return the columns by which a line that begins at an offset is indented. */
  indent(offset) {
    const open = [];
    for (const [index, bracket] of brackets(this.text.slice(0, offset))) {
      if (bracket === "(") open.push(index);
      else open.pop();
    }
    return open.length ? this.place(open[open.length - 1]).column + INDENT : 0;
  }
}

/** Return the elements of a line of rules in colours. */
export function coloured(line) {
  let isHead = false;
  return [...line.matchAll(TOKEN)].map(([token]) => {
    const kind = kindOf(token, isHead);
    if (token.trim()) isHead = token === "(";
    return kind ? element("span", { class: kind }, token) : token;
  });
}

function kindOf(token, isHead) {
  if (!token.trim()) return "";
  if (token[0] === ";") return "comment";
  if (token === "(" || token === ")") return "bracket";
  if (token[0] === "?") return "variable";
  if (KEYWORDS.has(token.toLowerCase())) return "keyword";
  return isHead ? "relation" : /^\d+$/.test(token) ? "number" : "constant";
}

const outdented = (line) => line.replace(new RegExp(`^(?:\t| {1,${INDENT}})`), "");

/** Yield the parentheses that are not in comments, each with its offset. */
function* brackets(text) {
  for (const found of text.matchAll(/;[^\n]*|[()]/g)) if (found[0][0] !== ";") yield [found.index, found[0]];
}

/** Return the offset at which the parenthesis at `start` is closed; null if it is not. */
function closing(text, start) {
  let depth = 0;
  for (const [index, bracket] of brackets(text.slice(start))) {
    depth += bracket === "(" ? 1 : -1;
    if (depth === 0) return start + index;
  }
  return null;
}

/** Return the offsets of the parenthesis beside the caret and its partner; null if there is none. */
function matching(text, caret) {
  const near = [caret - 1, caret].find((index) => text[index] === "(" || text[index] === ")");
  if (near === undefined) return null;
  const open = [];
  for (const [index, bracket] of brackets(text)) {
    if (bracket === "(") open.push(index);
    else {
      const opening = open.pop();
      if (opening === near || index === near) return opening === undefined ? null : [opening, index];
    }
    if (index > near && !open.includes(near)) return null;
  }
  return null;
}
