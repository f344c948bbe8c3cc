// The layout of a game, which gets better while random play goes on in the manager.

import { ask } from "./page.js";

const AGAIN = 1500; // milliseconds between two looks

/**
 * Call `take` with the layout, and again with each other one. Throws if there is none. `take` also gets a function that looks at once,
 * for a page that was sent a state on another board: the process that knows the game may be a new one.
 */
export async function followLayout(url, take) {
  let layout = await ask(url), timer = null, isLooking = false;
  const wait = () => { clearTimeout(timer); if (!layout.is_settled) timer = setTimeout(look, AGAIN); };
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const found = await ask(url).catch(() => layout);
    isLooking = false;
    const isNew = found.revision !== layout.revision;
    layout = found;
    wait();
    if (isNew) await take(layout, look);
  };
  wait();
  await take(layout, look);
}
