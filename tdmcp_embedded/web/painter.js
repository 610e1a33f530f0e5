// Draws a model on a canvas. What is too small to be read is left out, so that a thousand operators stay quick.

import { familyColor, familyInk } from "./families.js";
import { MARKED } from "./model.js";

const BAR = [22, 42];
const EDGE = 4;
const FLAG_COLORS = { bypass: "#f2c94c", lock: "#e8e8e8", display: "#56a8ff", render: "#c38bff", export: "#7ddc7a" };
const FLAG_LETTERS = { bypass: "B", lock: "L", display: "D", render: "R", export: "E" };

/** Seconds for which a change glows. */
export const GLOW_S = 3;

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.wirePaths = new WeakMap();
    this.names = new Map();
  }

  /** Colours of the page's theme, read once and whenever it changes. */
  readTheme() {
    // A canvas knows neither var() nor light-dark(): an element is asked what they come to.
    const probe = document.createElement("span");
    this.canvas.parentElement.append(probe);
    const get = (name) => {
      probe.style.color = `var(--nv-${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ["ground", "grid", "inside", "label", "ink", "faint", "error", "warning", "accent"];
    this.theme = Object.fromEntries(names.map((name) => [name, get(name)]));
    this.theme.font = getComputedStyle(this.canvas).getPropertyValue("--nv-font").trim() || "sans-serif";
    probe.remove();
  }

  /** One frame. `view` is {x, y, scale}: the network's point at the canvas's top left, and pixels per unit. */
  paint(model, view, state) {
    if (!this.theme) this.readTheme();
    const { canvas } = this;
    const ratio = canvas.width / Math.max(1, canvas.clientWidth);
    const scale = view.scale * ratio;
    const { last } = this;
    this.last = { ...view, scale };
    const moving = last?.scale === scale && (this.layer || last.drawn || last.x !== view.x || last.y !== view.y);
    if (moving) {
      this.fromLayer(model, view, scale, state);
    } else {
      this.layer = null;
      this.base(this.context, canvas, model, view, scale, state);
      // Drawn again at the same scale, something moves, if only a glow: that is worth a drawing to keep.
      this.last.drawn = true;
    }
    if (!model) return;
    this.context.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    this.overlay(model, view.scale, state);
  }

  /** The network has changed, or what is on its tiles: a drawing kept of it is of no use any more. */
  forget() {
    this.layer = null;
    if (this.last) this.last.drawn = false;
  }

  // While somebody pans, or something glows, the same drawing is moved about: larger than the canvas, made when needed.
  fromLayer(model, view, scale, state) {
    const { canvas } = this;
    const inside = (layer) =>
      layer.model === model && layer.scale === scale && view.x >= layer.x && view.y >= layer.y &&
      (view.x - layer.x) * scale + canvas.width <= layer.canvas.width &&
      (view.y - layer.y) * scale + canvas.height <= layer.canvas.height;
    if (!this.layer || !inside(this.layer)) {
      const [w, h] = [Math.round(canvas.width * 1.6), Math.round(canvas.height * 1.6)];
      // Kept from the last time where it fits: making a large canvas costs more than drawing on it.
      if (this.spare?.width !== w || this.spare?.height !== h) {
        this.spare = document.createElement("canvas");
        [this.spare.width, this.spare.height] = [w, h];
      }
      const at = { x: view.x - (w - canvas.width) / 2 / scale, y: view.y - (h - canvas.height) / 2 / scale };
      this.layer = { ...at, scale, model, canvas: this.spare };
      this.base(this.spare.getContext("2d", { alpha: false }), this.spare, model, { ...at, scale: view.scale }, scale, state);
    }
    const { context: c, layer } = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    // Whole pixels: nothing gets blurred on its way.
    c.drawImage(layer.canvas, Math.round((layer.x - view.x) * scale), Math.round((layer.y - view.y) * scale));
  }

  base(context, canvas, model, view, scale, state) {
    const c = (this.c = context);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.theme.ground;
    c.fillRect(0, 0, canvas.width, canvas.height);
    this.drawn = 0;
    if (!model) return;
    // Names stay readable on tiles that are seen from further away, as far as there is room.
    this.bar = Math.min(BAR[1], Math.max(BAR[0], 13 / view.scale));
    const seen = { x: view.x, y: view.y, w: canvas.width / scale, h: canvas.height / scale };
    this.grid(canvas, view, scale);
    c.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
    for (const box of model.annotations) if (meets(box, seen)) this.annotation(box, view.scale);
    this.wires(model, view.scale);
    for (const op of model.operators) {
      if (!meets(op, seen, 40)) continue;
      this.drawn += 1;
      if (op.w * view.scale < 12) this.dot(op);
      else this.tile(op, view.scale, state);
    }
  }

  // What changes with every frame, or with the pointer: not worth a new drawing of everything.
  overlay(model, scale, state) {
    const c = (this.c = this.context);
    if (state.selected) {
      const path = new Path2D();
      for (const w of model.wires) if (w.from === state.selected || w.to === state.selected) curve(path, w);
      c.strokeStyle = this.theme.accent;
      c.lineWidth = Math.max(3.2, 1.6 / scale);
      c.stroke(path);
    }
    const marked = [...state.glow.keys()].map((path) => model.byPath.get(path));
    for (const op of new Set([...marked, state.hovered, state.selected])) {
      if (op) this.ring(op, state, 2 / Math.min(1, scale));
    }
  }

  grid(canvas, view, scale) {
    let step = 100;
    while (step * scale < 40) step *= 4;
    const { c } = this;
    c.fillStyle = this.theme.grid;
    const size = Math.max(1, Math.round(scale * 1.5));
    for (let x = -(view.x % step) * scale; x < canvas.width; x += step * scale) {
      for (let y = -(view.y % step) * scale; y < canvas.height; y += step * scale) c.fillRect(x, y, size, size);
    }
  }

  annotation(box, scale) {
    const { c, theme } = this;
    const color = box.color ? `rgb(${box.color.map((part) => Math.round(part * 255)).join(" ")}` : null;
    c.fillStyle = color ? `${color} / 14%)` : theme.grid;
    c.strokeStyle = color ? `${color} / 55%)` : theme.faint;
    c.lineWidth = Math.max(1, 1 / scale);
    c.beginPath();
    c.roundRect(box.x, box.y, box.w, box.h, 6);
    c.fill();
    c.stroke();
    if (scale < 0.15) return;
    c.fillStyle = theme.ink;
    c.textAlign = "left";
    const title = Math.min(30, Math.max(16, 11 / scale));
    c.font = `600 ${title}px ${theme.font}`;
    c.fillText(fit(c, box.title, box.w - 20), box.x + 10, box.y + 8 + title * 0.8);
    if (box.text && scale > 0.4) {
      c.font = `13px ${theme.font}`;
      box.text.split("\n").slice(0, 6).forEach((line, index) => {
        c.fillText(fit(c, line, box.w - 20), box.x + 10, box.y + 44 + index * 17);
      });
    }
  }

  wires(model, scale) {
    const { c } = this;
    let paths = this.wirePaths.get(model);
    if (!paths) this.wirePaths.set(model, (paths = wirePaths(model)));
    c.lineWidth = Math.max(2.2, 1.1 / scale);
    c.lineCap = "round";
    for (const [family, path] of paths) {
      c.strokeStyle = familyColor(family);
      c.stroke(path);
    }
  }

  dot(op) {
    const { c } = this;
    c.fillStyle = op.broken ? this.theme.error : familyColor(op.family);
    c.fillRect(op.x, op.y, op.w, op.h);
  }

  tile(op, scale, state) {
    const { c, theme } = this;
    const color = familyColor(op.family);
    const readable = op.w * scale > 32;
    c.globalAlpha = op.flags.bypass || op.flags.allowCooking === false ? 0.62 : 1;
    c.fillStyle = color;
    c.beginPath();
    if (readable) c.roundRect(op.x, op.y, op.w, op.h, 6);
    else c.rect(op.x, op.y, op.w, op.h);
    c.fill();
    this.inside(op, readable, state);
    if (readable) {
      this.plugs(op, color);
      this.name(op, scale);
    }
    c.globalAlpha = 1;
    if (op.flags.bypass && readable) this.cross(op);
    if (op.problems.length) this.badge(op, scale);
  }

  inside(op, readable, state) {
    const { c, theme } = this;
    const bar = Math.min(this.bar, op.h / 2);
    const [x, y, w, h] = [op.x + EDGE, op.y + EDGE, op.w - 2 * EDGE, op.h - bar - EDGE];
    c.fillStyle = op.tint ?? theme.inside;
    c.fillRect(x, y, w, h);
    const look = state.looks?.get(op.path);
    if (look?.image) {
      const zoom = Math.min(w / look.image.width, h / look.image.height);
      const [iw, ih] = [look.image.width * zoom, look.image.height * zoom];
      c.drawImage(look.image, x + (w - iw) / 2, y + (h - ih) / 2, iw, ih);
    } else if (look?.curves?.length) {
      this.curves(look.curves, x + 4, y + 4, w - 8, h - 8, readable);
    } else if (readable) {
      c.fillStyle = op.tint ? "rgb(0 0 0 / 65%)" : theme.label;
      c.font = `12px ${theme.font}`;
      c.textAlign = "center";
      const label = op.type.slice(0, -op.family.length);
      c.fillText(fit(c, label, w - 8), x + w / 2, y + h / 2 + (op.holds === undefined ? 4 : -3));
      if (op.family === "COMP" && op.holds !== undefined) {
        c.fillText(op.holds === 1 ? "1 operator" : `${op.holds} operators`, x + w / 2, y + h / 2 + 14);
      }
    }
  }

  curves(curves, x, y, w, h, readable) {
    const { c, theme } = this;
    const all = curves.flatMap((curve) => curve.samples).filter((value) => value !== null);
    if (!all.length) return;
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const span = high - low || 1;
    const at = (value) => (high === low ? y + h / 2 : y + h - ((value - low) / span) * h);
    c.lineWidth = 1.5;
    curves.forEach((curve, index) => {
      c.strokeStyle = `hsl(${110 + index * 47} 55% 55%)`;
      c.beginPath();
      const many = curve.samples.length;
      curve.samples.forEach((value, i) => {
        if (value === null) return;
        const px = many === 1 ? x : x + (i / (many - 1)) * w;
        if (i === 0) c.moveTo(px, at(value));
        else c.lineTo(px, at(value));
      });
      if (many === 1 && curve.samples[0] !== null) c.lineTo(x + w, at(curve.samples[0]));
      c.stroke();
    });
    if (readable) {
      c.fillStyle = theme.label;
      c.font = `10px ${theme.font}`;
      c.textAlign = "left";
      const last = curves[0].samples[curves[0].samples.length - 1];
      const value = last === null ? "" : ` ${Number(last.toPrecision(4))}`;
      c.fillText(fit(c, curves[0].name + value, w), x, y + 8);
    }
  }

  plugs(op, color) {
    const { c } = this;
    c.fillStyle = color;
    for (let i = 0; i < op.inputs; i += 1) c.fillRect(op.x - 7, plug(op, i, op.inputs) - 4, 7, 8);
    for (let i = 0; i < op.outputs; i += 1) c.fillRect(op.x + op.w, plug(op, i, op.outputs) - 4, 7, 8);
  }

  name(op, scale) {
    const { c, theme } = this;
    const marked = MARKED.filter((flag) => op.flags[flag]);
    const room = op.w - 12 - marked.length * 15;
    const size = Math.round(this.bar * 0.6);
    c.font = `600 ${size}px ${theme.font}`;
    c.fillStyle = familyInk(op.family);
    c.textAlign = "left";
    const key = `${op.name} ${room} ${size}`;
    let text = this.names.get(key);
    if (text === undefined) {
      if (this.names.size > 5000) this.names.clear();
      this.names.set(key, (text = fit(c, op.name, room)));
    }
    c.fillText(text, op.x + 6, op.y + op.h - this.bar * 0.3);
    marked.forEach((flag, index) => {
      const [x, y] = [op.x + op.w - 11 - index * 15, op.y + op.h - this.bar / 2];
      c.fillStyle = FLAG_COLORS[flag];
      c.beginPath();
      c.arc(x, y, 6, 0, 7);
      c.fill();
      if (scale > 0.7) {
        c.fillStyle = "#16181b";
        c.font = `700 8px ${theme.font}`;
        c.textAlign = "center";
        c.fillText(FLAG_LETTERS[flag], x, y + 3);
      }
    });
  }

  cross(op) {
    const { c } = this;
    c.strokeStyle = FLAG_COLORS.bypass;
    c.lineWidth = 3;
    c.beginPath();
    c.moveTo(op.x + EDGE, op.y + EDGE);
    c.lineTo(op.x + op.w - EDGE, op.y + op.h - this.bar);
    c.stroke();
  }

  badge(op, scale) {
    const { c, theme } = this;
    const color = op.broken ? theme.error : theme.warning;
    c.strokeStyle = color;
    c.lineWidth = Math.max(3, 2 / scale);
    c.strokeRect(op.x, op.y, op.w, op.h);
    const size = Math.max(11, Math.min(24, 9 / scale));
    const [x, y] = [op.x + op.w - size * 0.4, op.y + size * 0.4];
    c.fillStyle = color;
    c.beginPath();
    c.moveTo(x, y - size);
    c.lineTo(x + size, y + size * 0.75);
    c.lineTo(x - size, y + size * 0.75);
    c.fill();
    c.fillStyle = "#16181b";
    c.font = `800 ${size * 1.2}px ${theme.font}`;
    c.textAlign = "center";
    c.fillText("!", x, y + size * 0.6);
  }

  ring(op, state, width) {
    const { c, theme } = this;
    const glow = state.glow.get(op.path);
    if (glow !== undefined) {
      const left = 1 - (state.now - glow) / (GLOW_S * 1000);
      if (left > 0) {
        c.globalAlpha = Math.min(1, left * 1.5);
        c.strokeStyle = theme.accent;
        c.lineWidth = width * 4;
        c.strokeRect(op.x - 6, op.y - 6, op.w + 12, op.h + 12);
        c.globalAlpha = 1;
      }
    }
    if (state.selected === op || state.hovered === op) {
      c.strokeStyle = state.selected === op ? theme.accent : theme.faint;
      c.lineWidth = width * 1.5;
      c.strokeRect(op.x - 3, op.y - 3, op.w + 6, op.h + 6);
    }
  }
}

function plug(op, index, count) {
  return op.y + ((index + 1) * (op.h - BAR[0])) / (count + 1) + 2;
}

function curve(path, wire) {
  const { from, to } = wire;
  if (wire.comp) {
    const [x1, y1, x2, y2] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y];
    const bend = Math.max(30, Math.abs(y2 - y1) * 0.5);
    path.moveTo(x1, y1);
    path.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
    return;
  }
  const [x1, y1] = [from.x + from.w + 7, plug(from, wire.output, from.outputs)];
  const [x2, y2] = [to.x - 7, plug(to, wire.index, Math.max(1, to.inputs))];
  const bend = Math.max(24, Math.min(140, Math.abs(x2 - x1) * 0.5));
  path.moveTo(x1, y1);
  path.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
}

function wirePaths(model) {
  const paths = new Map();
  for (const wire of model.wires) {
    const family = wire.from.family;
    if (!paths.has(family)) paths.set(family, new Path2D());
    curve(paths.get(family), wire);
  }
  for (const op of model.operators) {
    const host = op.row.dock && model.operators.find((other) => other.name === op.row.dock);
    if (!host) continue;
    if (!paths.has("COMP")) paths.set("COMP", new Path2D());
    paths.get("COMP").moveTo(op.x + op.w / 2, op.y);
    paths.get("COMP").lineTo(host.x + host.w / 2, host.y + host.h);
  }
  return paths;
}

function meets(box, seen, margin = 0) {
  return (
    box.x - margin < seen.x + seen.w &&
    box.x + box.w + margin > seen.x &&
    box.y - margin < seen.y + seen.h &&
    box.y + box.h + margin > seen.y
  );
}

function fit(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low ? `${text.slice(0, low)}…` : "";
}
