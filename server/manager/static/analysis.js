// An analysis, search or proof that the manager makes for a page.

import { ask, follow } from "./page.js";

/** One analysis: the page follows it, and ends it when it needs it no more. */
export class Analysis {
  #id = null;
  #events = null;
  #isStopped = false;

  /**
   * Ask the manager at `url` to begin what `told` describes. `take` is called with each event, and `onEnd` after the last one;
   * neither is called after `stop`. Throws as `ask` does, but not after `stop`.
   */
  async begin(url, told, take, { onEnd = () => {} } = {}) {
    try {
      this.#id = (await ask(url, told)).id;
    } catch (error) {
      if (this.#isStopped) return;
      throw error;
    }
    if (this.#isStopped) this.stop();
    else this.#events = follow(`/api/analyses/${this.#id}/events`, take, { onEnd: () => { this.#id = null; onEnd(); } });
  }

  /** End it, here and in the manager. */
  stop() {
    this.#isStopped = true;
    this.#events?.close();
    if (this.#id) ask(`/api/analyses/${this.#id}/stop`, {}).catch(() => {});
  }
}
