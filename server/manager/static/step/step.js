// Steps through a search: the drawing of the whole tree, of which later steps show more and more.

import { Analysis } from "../analysis.js";
import { byId, element, say } from "../page.js";

const form = byId("search");
let found = null, at = 0, running = null;

/** Return the nodes or branches of the drawing, by their data attribute. */
function parts(name) {
  const made = new Map();
  for (const part of byId("drawing").querySelectorAll(`[data-${name}]`)) {
    const key = part.getAttribute(`data-${name}`);
    made.set(key, [...(made.get(key) ?? []), part]);
  }
  return made;
}

/** Return, after a number of steps, the label and note of each node, and the cuts. */
function knownAfter(count) {
  const nodes = new Map(), cuts = new Set();
  for (const step of found.steps.slice(0, count)) {
    const node = nodes.get(step.node) ?? { label: "", note: "" };
    if (step.label) node.label = step.label;
    if (step.note) node.note = step.note;
    nodes.set(step.node, node);
    if (step.branch !== null) cuts.add(`${step.node} ${step.branch}`);
  }
  return { nodes, cuts };
}

/** Show the tree and the words of a step; 0 is before the first. */
function show(count) {
  at = Math.max(0, Math.min(count, found.steps.length));
  const { nodes, cuts } = knownAfter(at);
  const step = at ? found.steps[at - 1] : null;
  for (const [key, groups] of parts("node")) {
    const known = nodes.get(Number(key));
    for (const group of groups) {
      group.classList.toggle("ahead", !known);
      const box = group.querySelector("rect");
      if (!box) continue;
      group.classList.toggle("here", step !== null && step.node === Number(key));
      const [label, note] = group.querySelectorAll("text");
      label.textContent = known?.label ?? "";
      note.textContent = known?.note ?? "";
      // A drawing is laid out for the last labels, and bounds may be longer.
      box.setAttribute("width", Math.max(60, 14 + 7 * label.textContent.length));
    }
  }
  for (const [key, groups] of parts("branch")) {
    for (const group of groups) group.classList.toggle("ahead", !cuts.has(key));
  }
  byId("text").textContent = step?.text ?? "Before the search.";
  byId("place").textContent = `${at} / ${found.steps.length}`;
  for (const line of byId("list").querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
  const line = byId("list").children[at - 1];
  line?.setAttribute("aria-current", "step");
  if (line) byId("list").scrollTop = line.offsetTop - byId("list").offsetTop - byId("list").clientHeight / 2;
  byId("first").disabled = byId("back").disabled = at === 0;
  byId("on").disabled = byId("last").disabled = at === found.steps.length;
  byId("next-cut").disabled = !found.steps.some((each, place) => place >= at && each.kind === "cut");
}

function toNextCut() {
  const place = found.steps.findIndex((step, index) => index >= at && step.kind === "cut");
  if (place >= 0) show(place + 1);
}

function take(answer) {
  found = answer;
  // The manager has made the drawing, with every text escaped.
  const svg = new DOMParser().parseFromString(answer.drawing, "image/svg+xml").documentElement;
  byId("drawing").replaceChildren(document.importNode(svg, true));
  byId("list").replaceChildren(...answer.steps.map((step, place) => element(
    "li", { class: step.kind },
    element("button", { type: "button", on: { click: () => show(place + 1) } }, step.text),
  )));
  // The ranks of the table's rows, which are the goals themselves where all of these are possible.
  const table = `${answer.classifier}: ${answer.rows.toLocaleString("en")} rows, whose ranks add up to at most ${answer.maxsum}`;
  byId("shown-title").textContent = `${answer.algorithm}, ${answer.classifier === "none" ? "without a classifier" : table}`;
  byId("shown").hidden = false;
  show(0);
  say(byId("status"), `${answer.steps.length} steps.`);
}

async function search() {
  const { rules, algorithm, classifier, depth } = form.elements;
  running?.stop();
  running = new Analysis();
  byId("shown").hidden = true;
  say(byId("status"), "Searching…");
  let answer = null;
  try {
    await running.begin("/api/steps", {
      rules: rules.value, algorithm: algorithm.value, classifier: classifier.value,
      depth: depth.value ? Number(depth.value) : null,
    }, (event) => {
      if (event.event === "progress") { answer = event.found; take(answer); }
      if (event.event === "failed") say(byId("status"), event.error, true);
      if (event.event === "done" && !answer) say(byId("status"), "The search took too long.", true);
    }, { onEnd: () => { running = null; } });
  } catch (error) {
    say(byId("status"), error.message, true);
  }
}

form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
byId("trees").addEventListener("change", (event) => {
  if (event.target.value) form.elements.rules.value = event.target.value;
});
byId("first").addEventListener("click", () => show(0));
byId("back").addEventListener("click", () => show(at - 1));
byId("on").addEventListener("click", () => show(at + 1));
byId("last").addEventListener("click", () => show(found.steps.length));
byId("next-cut").addEventListener("click", toNextCut);
document.addEventListener("keydown", (event) => {
  if (!found || event.target.closest("textarea, input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { ArrowRight: () => show(at + 1), ArrowLeft: () => show(at - 1), Home: () => show(0), End: () => show(found.steps.length), c: toNextCut }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
