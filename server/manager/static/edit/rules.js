// The page of a rulesheet: its lines in colours, with their numbers.

import { byId, element } from "../page.js";
import { coloured } from "./code.js";

const text = byId("rules").textContent;
byId("rules").replaceChildren(...text.replace(/\n$/, "").split("\n").map((line, number) => element("span", { class: "code-line", id: `line-${number + 1}` }, ...coloured(line), "\n")));
