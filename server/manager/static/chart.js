// The chart of the goals: a line for each role, and a dashed one for its player's expectation.

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [320, 120, 24, 14];

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Draw the chart. `goals` has for each step the goals; `estimates` a map of step to value for each role. */
export function drawChart(root, { roles, tones, goals, estimates, step }) {
  const steps = Math.max(1, goals.length - 1);
  const x = (at) => LEFT + ((WIDTH - LEFT - 4) * at) / steps;
  const y = (value) => 4 + (HEIGHT - BOTTOM - 4) * (1 - value / 100);
  const parts = [0, 50, 100].flatMap((value) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH - 4, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 4, y: y(value) + 3, "text-anchor": "end" }, String(value)),
  ]);
  parts.push(svg("text", { x: LEFT, y: HEIGHT - 2 }, "0"), svg("text", { x: WIDTH - 4, y: HEIGHT - 2, "text-anchor": "end" }, String(Math.max(0, goals.length - 1))));
  parts.push(svg("line", { class: "now", x1: x(Math.min(step, steps)), x2: x(Math.min(step, steps)), y1: 4, y2: HEIGHT - BOTTOM }));
  roles.forEach((role, number) => {
    const known = goals.map((all, at) => [at, all?.[number]]).filter(([, goal]) => goal !== null && goal !== undefined);
    parts.push(line(known, `tone-${tones[number]}`, role, number));
    const guessed = [...(estimates[number] ?? [])].sort(([a], [b]) => a - b);
    if (guessed.length) parts.push(line(guessed, `estimate tone-${tones[number]}`, `${role} expects`, number));
  });
  const last = goals[step] ?? [];
  const told = roles.map((role, number) => `${role} ${last[number] ?? "none"}`).join(", ");
  root.replaceChildren(svg("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `goals at step ${step}: ${told}` }, ...parts));

  // Coinciding lines are drawn slightly apart.
  function line(points, name, title, place = 0) {
    const shown = points.length === 1 ? [...points, [points[0][0] + 0.05, points[0][1]]] : points;
    const places = shown.map(([at, value]) => `${x(at)},${y(value) - 1.6 * place}`).join(" ");
    // A rim makes the colours of all roles readable on light and on dark.
    return svg("g", {}, svg("title", {}, title), svg("polyline", { class: name.startsWith("estimate") ? "estimate rim" : "rim", points: places }), svg("polyline", { class: name, points: places }));
  }
}
