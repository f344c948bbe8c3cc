// The states of a match as they are drawn: asked for once, and as the viewer may see them.

import { ask } from "../page.js";

export class States {
  /** `query` returns what is added to an address, such as whose seat asks. */
  constructor(api, query = () => "") {
    Object.assign(this, { api, query });
    this.forget();
  }

  /** Forget all: they are drawn in another way from now on. */
  forget() { this.kept = new Map(); }

  /** A state as it is drawn. */
  drawing(step) { return this.once("drawings", step); }

  /** A state with its goals and legal moves, which may take the rules longer. */
  scene(step) { return this.once("scenes", step); }

  once(what, step) {
    const address = `${this.api}/${what}/${step}${this.query()}`, { kept } = this;
    if (!kept.has(address)) kept.set(address, ask(address).catch((error) => { kept.delete(address); throw error; }));
    return kept.get(address);
  }
}
