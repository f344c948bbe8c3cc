// Shared by all pages: elements made from text, never from markup, and JSON from the manager.

/** Make an element. Attributes are set as such; children are elements or text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Return the element of the page with this id. */
export const byId = (id) => document.getElementById(id);

// How often a page asks again where the manager has too much to do, which it says at once.
const PATIENCE = 20;

/**
 * Ask for JSON; with something to tell, by POST: a value, or the data of a form. Throws an error that people can read, with the
 * `status` of the answer.
 */
export async function ask(url, told = null) {
  const options = told === null ? {} : told instanceof FormData ? { method: "POST", body: told } : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told),
  };
  let response;
  for (let tries = 1; ; tries++) {
    try {
      response = await fetch(url, options);
    } catch {
      throw new Error("the manager does not answer; is it still running?");
    }
    const seconds = Number(response.headers.get("Retry-After"));
    if (response.status !== 503 || !seconds || tries === PATIENCE) break;
    // Not all pages at the same moment.
    await new Promise((resolve) => setTimeout(resolve, (0.5 + Math.random()) * 1000 * seconds));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(answer.error ?? `the manager answers ${response.status}`), { status: response.status });
  return answer;
}

/**
 * Follow a stream of events, as long as the page is seen; call `take` with each. `onLost` is called
 * when the connection breaks and each time that it cannot be restored, `onBack` when it is. A page
 * that a person plays on `isWaiting` for news even when it is hidden.
 */
export function follow(url, take, { onEnd = () => {}, onLost = () => {}, onBack = () => {}, isWaiting = () => false } = {}) {
  let source = null, known = "", isOver = false, isComingBack = false, timer = null;
  const close = () => { clearTimeout(timer); source?.close(); source = null; };
  const open = () => {
    if (source || isOver) return;
    source = new EventSource(`${url}${url.includes("?") ? "&" : "?"}after=${known}`);
    source.onopen = () => onBack();
    source.onmessage = (message) => {
      known = message.lastEventId || known;
      take(JSON.parse(message.data));
    };
    source.addEventListener("end", () => { isOver = true; close(); onEnd(); });
    // Where many watch, a stream ends after the news, and the browser comes back for more.
    source.addEventListener("again", (message) => { known = message.lastEventId; isComingBack = true; });
    source.onerror = () => {
      if (isOver) return;
      if (isComingBack) { isComingBack = false; return; }
      close();
      known = ""; // another manager may answer, which tells everything from the beginning
      timer = setTimeout(open, 1000);
      onLost();
    };
  };
  // A browser keeps few connections to one server: a hidden page needs none.
  const look = () => (document.hidden && !isWaiting() ? close() : open());
  document.addEventListener("visibilitychange", look);
  look();
  return { close() { isOver = true; document.removeEventListener("visibilitychange", look); close(); } };
}

/** Write what is the matter into an element, as something said aloud. */
export function say(where, text, isProblem = false) {
  if (where.textContent !== text) where.textContent = text;
  where.classList.toggle("problem", isProblem);
}

/** Return a number with separators, or a dash. */
export const number = (value) => (value === null || value === undefined ? "–" : Number(value).toLocaleString("en"));
