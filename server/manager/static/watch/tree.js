// The tree of moves that a person has looked at: lines with branches, which one can walk.

import { element } from "../page.js";

export class Node {
  constructor(moves = null, parent = null) {
    Object.assign(this, { moves, parent, children: [], label: "", found: null, last: null });
  }

  get depth() { return this.parent ? this.parent.depth + 1 : 0; }

  /** The joint moves from the start to this node. */
  get line() { return this.parent ? [...this.parent.line, this.moves] : []; }

  /** Return the child that a joint move leads to, made if it is new. */
  child(moves) {
    const key = JSON.stringify(moves);
    let found = this.children.find((each) => JSON.stringify(each.moves) === key);
    if (!found) this.children.push(found = new Node(moves, this));
    this.last = found;
    return found;
  }

  /** Take this node and all below it out of the tree. */
  remove() {
    const { parent } = this;
    parent.children = parent.children.filter((each) => each !== this);
    if (parent.last === this) parent.last = parent.children[0] ?? null;
  }

  /** Forget how this node and all below it are drawn. */
  forget() {
    this.drawn = this.found = null;
    for (const child of this.children) child.forget();
  }

  toJson() { return [this.moves, this.label, this.children.map((child) => child.toJson())]; }

  static fromJson([moves, label, children], parent = null) {
    const node = Object.assign(new Node(moves, parent), { label });
    node.children = children.map((child) => Node.fromJson(child, node));
    node.last = node.children[0] ?? null;
    return node;
  }
}

/** Draw a tree as nested lists: the first child goes on with its line, the others branch off. */
export function drawTree(root, top, here, go) {
  const button = (node) => element("button", {
    type: "button", "aria-current": node === here ? "step" : null, title: node.moves?.join(", ") ?? "the initial state", on: { click: () => go(node) },
  }, node.parent ? `${node.depth}. ${node.label}` : "start");
  const line = (node) => {
    const items = [element("li", {}, button(node))];
    for (let at = node; at.children.length; [at] = at.children) {
      items.push(element("li", {}, button(at.children[0])));
      for (const branch of at.children.slice(1)) items.push(element("li", { class: "branch" }, element("ol", { class: "path" }, ...line(branch))));
    }
    return items;
  };
  root.replaceChildren(...line(top));
}
