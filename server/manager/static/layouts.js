// The layout of a game, which gets better while random play goes on in the manager.

import { ask } from "./page.js";

const AGAIN = 1500; // milliseconds between two looks

/** Call `take` with the layout, and again with each better one. Throws if there is none. */
export async function followLayout(url, take) {
  let layout = await ask(url);
  const look = async () => {
    const found = await ask(url).catch(() => layout);
    const isNew = found.revision !== layout.revision;
    layout = found;
    if (!layout.is_settled) setTimeout(look, AGAIN);
    if (isNew) await take(layout);
  };
  if (!layout.is_settled) setTimeout(look, AGAIN);
  await take(layout);
}
