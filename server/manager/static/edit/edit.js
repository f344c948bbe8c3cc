// The editor: rules on the left with the findings of the checker, the game that they make on the right.

import { ask, byId, element, say } from "../page.js";
import { Code } from "./code.js";
import { Line } from "./line.js";
import { Proofs } from "./proofs.js";

const PAUSE = 300; // milliseconds without typing before the rules are checked

const { copy, copyName, maxDraft } = byId("main").dataset;
const limit = Number(maxDraft);
const page = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const api = `/api/drafts/${page}`;
const key = `draft ${copy ?? ""}`;
const name = byId("name");
const drawing = byId("drawing");
let findings = [], checking = null, isReady = false, timer = null;
let drawn = ""; // the last drawing without a mistake

const code = new Code(byId("code"), { onInput: edited, onCaret: explain });
const line = new Line(api, { onChange: keep });
const proofs = new Proofs(api, {
  rules: async () => { await checked(); return line.rules; },
  onLine: (moves) => { line.show(moves); byId("play").scrollIntoView({ block: "nearest" }); },
  onPlace: (number) => code.go(number, 1),
});

// The draft

function keep() {
  if (!isReady) return; // there is no text yet
  try {
    localStorage.setItem(key, JSON.stringify({ name: name.value, text: code.text, drawing: drawing.value, moves: line.moves, step: line.step }));
  } catch {
    say(byId("saved"), "This browser cannot keep the draft: download it.", true);
  }
}

function kept() {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

const fetched = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the manager answers ${response.status}`);
  return response.text();
};
const original = () => fetched(copy ? `/games/${copy}/rules` : byId("main").dataset.blank);
const originalDrawing = () => (copy ? fetched(`/games/${copy}/drawing.json`) : "");

/** Put other rules into the editor, and offer to undo that: the browser cannot if they are long. */
function put(text, did, { title = name.value, moves = [], picture = "" } = {}) {
  if (text.length > limit) { say(byId("saved"), `The editor takes up to ${limit.toLocaleString("en")} characters; this has ${text.length.toLocaleString("en")}.`, true); return; }
  const before = { text: code.text, picture: drawing.value, title: name.value, moves: line.moves, step: line.step };
  const set = (each) => {
    [line.moves, line.step, name.value, drawing.value] = [each.moves, each.step, each.title, each.picture];
    if (each.text === code.text) line.ask();
    code.replace(each.text);
    edited();
  };
  set({ text, picture, title, moves, step: Math.min(line.step, moves.length) });
  const undo = element("button", { type: "button", on: { click: () => { set(before); code.area.focus(); } } }, "Undo");
  byId("saved").replaceChildren(`${did} `, undo);
}

// Checking

function edited() {
  say(byId("saved"), "");
  proofs.outdate();
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
}

function check() {
  timer = null;
  keep();
  checking ??= checkAll().finally(() => { checking = null; });
  return checking;
}

/** Wait until the text that is shown has been checked. */
async function checked() {
  if (timer !== null) { clearTimeout(timer); check(); }
  await checking;
}

async function checkAll() {
  let text, picture;
  const isStill = () => text === code.text && picture === drawing.value;
  do {
    [text, picture] = [code.text, drawing.value];
    try {
      if (text.length > limit) throw new Error(`the rules are too long: ${text.length.toLocaleString("en")} characters, and the editor takes ${limit.toLocaleString("en")}`);
      const found = await ask(`${api}/check`, { rules: text, drawing: picture });
      if (isStill()) show(found, text);
    } catch (error) {
      if (isStill()) show({ findings: [], more: 0, errors: 1, roles: [] }, text, error.message);
    }
  } while (!isStill());
}

/** Show what the checker has found, or why it could not check. */
function show(found, text, problem = null) {
  const isNew = JSON.stringify(findings) !== JSON.stringify(found.findings);
  ({ findings } = found);
  code.mark(findings);
  const count = (number, what) => (number ? [`${number} ${what}${number === 1 ? "" : "s"}`] : []);
  const warnings = findings.length + found.more - found.errors;
  say(byId("check-status"), problem ?? ([...count(found.errors, "error"), ...count(warnings, "warning")].join(", ") || "No findings."), found.errors > 0);
  if (isNew) byId("findings").replaceChildren(...findings.map((finding) => element("li", { class: finding.severity },
    element("button", { type: "button", on: { click: () => code.go(finding.line, finding.column) } },
      element("span", { class: "where" }, `${finding.line}:${finding.column}`), ` ${finding.severity}: ${finding.message}`),
    element("span", { class: "hint" }, `${finding.hint} (${finding.code})`),
  )));
  byId("more").textContent = found.more ? `and ${found.more} more` : "";
  // Many a game has errors and can be played: it has roles if a reasoner can take the rules.
  const isGame = found.roles.length > 0;
  if (isGame && !found.drawing) drawn = drawing.value;
  say(byId("drawing-status"), found.drawing ?? "", Boolean(found.drawing));
  if (found.drawing) byId("drawing-part").open = true;
  const why = problem ? "The rules could not be checked." : "The rules have errors.";
  if (!isGame) line.spoil(line.found ? `${why} This is the last good board.` : "The board appears when the errors are fixed.");
  else line.update(text, drawn);
}

/** Say what the findings at the caret's line are. */
function explain() {
  const here = findings.filter((finding) => finding.line === code.line);
  say(byId("here"), here.map((finding) => `Line ${finding.line}: ${finding.message}. ${finding.hint[0].toUpperCase()}${finding.hint.slice(1)}.`).join(" "));
}

/** Go to the next finding after the caret, or to the one before it. */
function jump(way) {
  const after = way > 0 ? findings.find((finding) => finding.line > code.line) : findings.findLast((finding) => finding.line < code.line);
  const finding = after ?? (way > 0 ? findings[0] : findings[findings.length - 1]);
  if (finding) code.go(finding.line, finding.column);
}

// Files

async function open(file) {
  if (!file) return;
  const data = await file.arrayBuffer();
  let text;
  try { text = new TextDecoder("utf-8", { fatal: true }).decode(data); } catch { text = new TextDecoder("latin1").decode(data); }
  if (/\.json$/i.test(file.name)) {
    put(code.text, `${file.name} draws the board.`, { moves: line.moves, picture: text });
    byId("drawing-part").open = true;
    return;
  }
  put(text, `${file.name} is open.`, { title: file.name.replace(/\.(?:kif|gdl|txt)$/i, "") });
}

function download() {
  give(code.text, `${fileName()}.kif`);
  if (drawing.value.trim()) give(drawing.value, `${fileName()}.json`);
}

function give(text, file) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const fileName = () => name.value.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|-+$/g, "") || "game";

async function save() {
  const status = byId("saved");
  try {
    const game = await ask("/api/games", { name: name.value.trim() || "game", rules: code.text, drawing: drawing.value });
    status.classList.remove("problem");
    status.replaceChildren("Saved as ", element("a", { href: game.url }, game.id), ".");
    return game;
  } catch (error) {
    say(status, `Not saved: ${error.message}`, true);
    return null;
  }
}

async function format() {
  const rules = code.text;
  try {
    const found = await ask(`${api}/format`, { rules });
    if (code.text !== rules) return; // edited meanwhile
    if (found.rules === rules) say(byId("saved"), "Nothing to change.");
    else put(found.rules, "Formatted.", { moves: line.moves, picture: drawing.value });
  } catch (error) {
    say(byId("saved"), `Not formatted: ${error.message}`, true);
  }
}

byId("new").addEventListener("click", async () => put(await fetched(byId("main").dataset.blank), "A new game.", { title: "mygame" }));
byId("revert")?.addEventListener("click", async () => put(await original(), "The original rules.", { title: copyName, picture: await originalDrawing() }));
byId("open").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", (event) => { open(event.target.files[0]); event.target.value = ""; });
byId("format").addEventListener("click", format);
byId("download").addEventListener("click", download);
byId("save").addEventListener("click", save);
byId("match").addEventListener("click", async () => { const game = await save(); if (game) location.assign(game.url); });
name.addEventListener("input", keep);
drawing.addEventListener("input", edited);
for (const event of ["dragover", "drop"]) {
  byId("code").addEventListener(event, (moved) => {
    if (![...moved.dataTransfer.types].includes("Files")) return; // text is dragged within the editor
    moved.preventDefault();
    byId("code").classList.toggle("dropping", event === "dragover");
    if (event === "drop") open(moved.dataTransfer.files[0]);
  });
}
byId("code").addEventListener("dragleave", () => byId("code").classList.remove("dropping"));
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "F8") { event.preventDefault(); jump(event.shiftKey ? -1 : 1); }
  else if (event.key === "s" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); download(); }
  else if (isTyping) return;
  else if (event.key === "ArrowLeft") line.go(line.step - 1);
  else if (event.key === "ArrowRight") line.go(line.step + 1);
  else if (event.key === "Home") { event.preventDefault(); line.go(0); }
  else if (event.key === "End") { event.preventDefault(); line.go(line.found?.legal ?? 0); }
});
addEventListener("pagehide", () => {
  keep();
  fetch(`${api}/leave`, { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body: "{}" }).catch(() => {});
});

// The text that the author finds

const draft = kept();
if (typeof draft?.text === "string") {
  code.text = draft.text;
  name.value = draft.name ?? "";
  drawing.value = draft.drawing ?? "";
  line.moves = draft.moves ?? [];
  line.step = draft.step ?? 0;
  isReady = true;
  say(byId("saved"), "This is your draft, as this browser has kept it.");
} else {
  try {
    [code.text, drawing.value] = await Promise.all([original(), originalDrawing()]);
    name.value = copyName ?? "mygame";
    isReady = true;
  } catch (error) {
    say(byId("saved"), `The rules could not be loaded: ${error.message}`, true);
  }
}
check();
