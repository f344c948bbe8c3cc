// The page of a game: its board, the findings of the checker, and the form for a match.

import { Scene } from "./board.js";
import { ask, byId, element, say } from "./page.js";

const { api, key } = byId("main").dataset;

async function check() {
  const status = byId("check-status");
  try {
    const { findings, more, errors, roles, is_hidden: isHidden } = await ask(`${api}/check`);
    say(status, told(findings.length + more, errors), errors > 0);
    byId("findings").replaceChildren(...findings.map((finding) => element("li", {},
      element("span", { class: finding.severity }, `line ${finding.line}, column ${finding.column}: ${finding.message}`),
      element("span", { class: "hint" }, `${finding.hint} (${finding.code})`),
    )));
    byId("hidden-note").hidden = !isHidden;
    if (!errors) setUp(roles.filter((role) => role.toLowerCase() !== "random"));
    return errors === 0;
  } catch (error) {
    say(status, error.message, true);
    return false;
  }
}

/** Return in words how many findings there are, and how many of them are errors. */
function told(count, errors) {
  if (count < 2) return count ? `1 finding, ${errors ? "an error" : "no error"}` : "No findings.";
  return `${count} findings, ${errors || "none"} of them ${errors === 1 ? "an error" : "errors"}`;
}

function setUp(roles) {
  byId("seats").replaceChildren(...roles.map(seat));
  byId("setup").hidden = false;
}

function seat(role, number) {
  const options = byId("players").content.cloneNode(true);
  const choice = element("select", { name: `kind-${number}`, id: `kind-${number}` });
  choice.append(options);
  choice.value = number === 0 ? "human" : [...choice.options].some(({ value }) => value === "alphabeta") ? "alphabeta" : "random";
  const spec = element("input", { name: `spec-${number}`, "aria-label": `options of ${role}`, autocomplete: "off" });
  const summary = element("span", { class: "small muted" });
  const explain = () => {
    const option = choice.selectedOptions[0];
    spec.value = "";
    spec.hidden = false;
    spec.required = choice.value === "url";
    if (choice.value === "human") spec.placeholder = "name, if you like";
    else if (choice.value === "url") spec.placeholder = "http://host:9147";
    else {
      spec.placeholder = option.dataset.options || "no options";
      spec.hidden = !option.dataset.options;
    }
    summary.textContent = option.dataset.summary ?? "";
  };
  choice.addEventListener("change", explain);
  explain();
  return element("div", { class: "seat" }, element("label", { for: choice.id }, role), choice, element("div", { class: "details" }, spec, summary));
}

async function draw() {
  const status = byId("scene-status");
  try {
    const layout = await ask(`${api}/layout`);
    const scene = new Scene(byId("scene"), layout, key);
    scene.show((await ask(`${api}/scene`, { facts: null })).scene);
    say(status, "The initial state.");
  } catch (error) {
    say(status, error.message, true);
  }
}

if (await check()) await draw();
else say(byId("scene-status"), "Fix its errors to see the board.");
