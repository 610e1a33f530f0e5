// The network viewer: a canvas for eyes, a list of operators for keyboards and screen readers, details beside them.
//
// `source` is where it learns things: network(path), previews(paths), operator(path, all); each a promise. What they
// reject with is an Error whose message is a sentence for people.

import { Camera } from "./camera.js";
import { showDetails, showNoDetails } from "./details.js";
import { button, element, say } from "./elements.js";
import { boundsOf, changedBetween, described, join, nameOf, networkModel, parentOf } from "./model.js";
import { GLOW_S, Painter } from "./painter.js";
import { Previews } from "./previews.js";

let instances = 0;

export class NetworkViewer {
  /** Options: `pictures` (seconds between two rounds of previews, 0 for none), `tools` (further elements of the bar). */
  constructor(root, source, options = {}) {
    this.source = source;
    this.id = `nv${(instances += 1)}`;
    this.model = null;
    this.path = "";
    this.wanted = "";
    this.selected = null;
    this.hovered = null;
    this.glow = new Map();
    this.all = false;
    this.ticket = 0;
    this.build(root, options.tools ?? []);
    this.painter = new Painter(this.canvas);
    this.camera = new Camera(this.stage, () => this.moved(), (x, y) => this.press(x, y), (x, y) => this.hover(x, y));
    this.previews = new Previews(this, source, options.pictures ?? 0);
    new ResizeObserver(() => this.resize()).observe(this.stage);
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => this.themeChanged());
    }
    this.resize();
  }

  build(root, tools) {
    this.crumbs = element("nav", { class: "nv-crumbs", "aria-label": "Path of the network" });
    this.summary = element("span", { class: "nv-summary", role: "status" });
    this.follow = element("input", { type: "checkbox", checked: true });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.options = element("div", { class: "nv-options", role: "presentation" });
    this.note = element("p", { class: "nv-note", role: "alert", hidden: true });
    this.stage = element("div", {
      class: "nv-stage", tabindex: "0", role: "listbox", "aria-label": "Operators", onkeydown: (event) => this.key(event),
      ondblclick: () => this.enter(), "aria-describedby": `${this.id}-keys`,
    }, this.canvas, this.options);
    this.panel = element("aside", { class: "nv-details", "aria-label": "Selected operator", hidden: true });
    root.classList.add("nv");
    root.replaceChildren(
      element("div", { class: "nv-bar" },
        this.crumbs, this.summary,
        element("div", { class: "nv-tools" },
          element("label", { title: "Show the network that was changed last" }, this.follow, " Follow changes"),
          button("−", () => this.camera.zoom(1 / 1.3), { "aria-label": "Zoom out", title: "Zoom out (−)" }),
          button("+", () => this.camera.zoom(1.3), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
          button("Fit", () => this.fit(), { title: "Show everything (H)" }),
          ...tools)),
      element("div", { class: "nv-body" }, this.stage, this.note, this.panel),
      element("p", { class: "nv-hidden", id: `${this.id}-keys` },
        "Arrow keys go from operator to operator, Enter opens a component, U goes up, H shows everything, " +
        "plus and minus zoom, Escape closes the details."));
  }

  // -- what is shown ------------------------------------------------------------------------------------------

  /** Show a network, from the source. */
  async open(path, select = "") {
    const ticket = (this.ticket += 1);
    this.wanted = path;
    this.stage.setAttribute("aria-busy", "true");
    try {
      const told = await this.source.network(path);
      if (ticket === this.ticket) this.show(told, select);
      return true;
    } catch (problem) {
      if (ticket === this.ticket) this.complain(problem.message);
      return false;
    } finally {
      if (ticket === this.ticket) this.stage.removeAttribute("aria-busy");
    }
  }

  /** Read the network that is shown once more; or, while there is none yet, the one that was to be shown. */
  refresh() {
    const path = this.path || this.wanted;
    return path ? this.open(path) : Promise.resolve(false);
  }

  /** Show what was told (the format of read_network). */
  show(told, select = "") {
    const before = this.model;
    const model = networkModel(told);
    const elsewhere = !before || before.path !== model.path;
    const changed = changedBetween(before, model);
    this.model = model;
    this.path = model.path;
    this.painter.forget();
    this.complain("");
    if (elsewhere) {
      this.crumb();
      this.glow.clear();
    }
    const wanted = select ? join(model.path, select) : elsewhere ? "" : (this.selected?.path ?? "");
    const again = model.byPath.get(wanted) ?? null;
    const altered = again?.print !== this.selected?.print || elsewhere;
    this.selected = again;
    this.list();
    this.tell();
    if (elsewhere) this.fit();
    else if (before.operators.length === 0 && model.operators.length) this.fit();
    this.light(changed);
    if (altered || again?.problems.length) this.detail();
    this.draw();
    this.previews.soon();
  }

  /** Operators at these paths were changed just now, in that network: let them glow, and go there if that is wanted. */
  touched(paths, network) {
    if (!network || network === this.path || !this.follow.checked) this.light(paths);
    else this.open(network).then(() => this.light(paths));
  }

  light(paths) {
    const now = performance.now();
    for (const path of paths) this.glow.set(path, now);
    this.previews.want(paths);
    const seen = paths.map((path) => this.model?.byPath.get(path)).filter(Boolean);
    if (seen.length && this.follow.checked) this.camera.reveal(boundsOf(seen));
    if (paths.length) this.draw();
  }

  complain(sentence) {
    this.note.hidden = !sentence;
    say(this.note, sentence);
    this.stage.classList.toggle("nv-stale", Boolean(sentence));
  }

  crumb() {
    const parts = this.path === "/" ? [] : this.path.slice(1).split("/");
    const steps = [button("/", () => this.open("/"), { "aria-label": "The project's root" })];
    parts.forEach((part, index) => {
      const path = `/${parts.slice(0, index + 1).join("/")}`;
      steps.push(button(part, () => this.open(path), index === parts.length - 1 ? { "aria-current": "page" } : {}));
    });
    this.crumbs.replaceChildren(...steps);
    this.stage.setAttribute("aria-label", `Operators of ${this.path}`);
  }

  tell() {
    const { operators, total } = this.model;
    const broken = operators.filter((op) => op.broken).length;
    const warned = operators.filter((op) => op.problems.length && !op.broken).length;
    const count = total > operators.length ? `${operators.length} of ${total} operators` : counted(total, "operator");
    const parts = [operators.length ? count : "Nothing in here"];
    if (broken) parts.push(`${broken} with errors`);
    if (warned) parts.push(`${warned} with warnings`);
    say(this.summary, parts.join(", "));
  }

  list() {
    this.options.replaceChildren(...this.model.operators.map((op, index) =>
      element("div", {
        role: "option", id: `${this.id}-${index}`, "data-path": op.path, "aria-selected": op === this.selected ? "true" : "false",
      }, described(op))));
    this.point();
  }

  point() {
    const index = this.model?.operators.indexOf(this.selected) ?? -1;
    if (index < 0) this.stage.removeAttribute("aria-activedescendant");
    else this.stage.setAttribute("aria-activedescendant", `${this.id}-${index}`);
  }

  // -- selecting ------------------------------------------------------------------------------------------------

  at(x, y) {
    const found = (this.model?.operators ?? []).filter((op) => x >= op.x && x <= op.x + op.w && y >= op.y && y <= op.y + op.h);
    return found[found.length - 1] ?? null;
  }

  press(x, y) {
    this.stage.focus({ preventScroll: true });
    this.select(this.at(x, y));
  }

  hover(x, y) {
    const op = x === null ? null : this.at(x, y);
    if (op === this.hovered) return;
    this.hovered = op;
    this.stage.title = op ? described(op) : "";
    this.draw();
  }

  select(op) {
    if (op === this.selected) return;
    const mark = (it, on) => {
      const index = this.model?.operators.indexOf(it) ?? -1;
      if (index >= 0) this.options.children[index]?.setAttribute("aria-selected", on ? "true" : "false");
    };
    mark(this.selected, false);
    this.selected = op;
    mark(op, true);
    this.point();
    this.detail();
    this.draw();
    if (op) this.previews.want([op.path]);
  }

  async detail() {
    const op = this.selected;
    this.panel.hidden = !op;
    if (!op) return;
    const actions = {
      all: this.all,
      close: () => this.select(null),
      enter: () => this.enter(),
      toggleAll: () => {
        this.all = !this.all;
        this.detail();
      },
    };
    showDetails(this.panel, op, null, actions);
    try {
      const row = await this.source.operator(op.path, this.all);
      if (this.selected?.path === op.path) showDetails(this.panel, this.selected, row, actions);
    } catch (problem) {
      if (this.selected?.path === op.path) showNoDetails(this.panel, problem.message);
    }
  }

  enter() {
    if (this.selected?.family === "COMP") this.open(this.selected.path);
  }

  up() {
    if (this.path && this.path !== "/") this.open(parentOf(this.path), nameOf(this.path));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const away = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const act = {
      Enter: () => this.enter(),
      Escape: () => this.select(null),
      Home: () => this.go(this.model?.operators[0]),
      End: () => this.go(this.model?.operators[this.model.operators.length - 1]),
      "+": () => this.camera.zoom(1.3),
      "=": () => this.camera.zoom(1.3),
      "-": () => this.camera.zoom(1 / 1.3),
      h: () => this.fit(),
      u: () => this.up(),
      Backspace: () => this.up(),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!away && !act) return;
    event.preventDefault();
    if (away && event.shiftKey) this.camera.pan(-away[0] * 60, -away[1] * 60);
    else if (away) this.go(this.neighbour(...away));
    else act();
  }

  go(op) {
    if (!op) return;
    this.select(op);
    this.camera.reveal(op);
  }

  /** The nearest operator in a direction; sideways distance counts double, so that rows are followed. */
  neighbour(dx, dy) {
    const from = this.selected;
    const operators = this.model?.operators ?? [];
    if (!from) return operators[0];
    let [best, nearest] = [null, Infinity];
    for (const op of operators) {
      const [x, y] = [op.x + op.w / 2 - from.x - from.w / 2, op.y + op.h / 2 - from.y - from.h / 2];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (op === from || along <= 1) continue;
      const distance = along + across * 2;
      if (distance < nearest) [best, nearest] = [op, distance];
    }
    return best;
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  fit() {
    const box = boundsOf([...(this.model?.operators ?? []), ...(this.model?.annotations ?? [])]);
    if (box) this.camera.fit(box);
    else this.draw();
  }

  moved() {
    this.draw();
    this.previews.soon();
  }

  resize() {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const [w, h] = [this.stage.clientWidth, this.stage.clientHeight];
    if (!w || !h) return;
    const first = this.canvas.width === 300 && this.canvas.height === 150;
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    this.painter.forget();
    if (first) this.fit();
    this.paint();
  }

  themeChanged() {
    this.painter.readTheme();
    this.painter.forget();
    this.draw();
  }

  draw() {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.paint();
    });
  }

  paint() {
    const now = performance.now();
    for (const [path, since] of this.glow) if (now - since > GLOW_S * 1000) this.glow.delete(path);
    this.painter.paint(this.model, this.camera.view, {
      selected: this.selected, hovered: this.hovered, glow: this.glow, looks: this.previews.looks, now,
    });
    if (this.glow.size) this.draw();
  }

  /** Operators in sight and large enough for a picture, those that waited longest first. */
  inSight(least) {
    const { view } = this.camera;
    const [w, h] = [this.stage.clientWidth / view.scale, this.stage.clientHeight / view.scale];
    return (this.model?.operators ?? []).filter((op) =>
      op.w * view.scale >= least && op.x < view.x + w && op.x + op.w > view.x && op.y < view.y + h && op.y + op.h > view.y);
  }
}

function counted(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
