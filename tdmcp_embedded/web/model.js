// A network ready to be drawn, made of what the server tells (the format of read_network), and what changed in it.
// Screen coordinates: y grows downwards here, upwards in TouchDesigner.

import { familyOf } from "./families.js";

const TILE = [130, 90];
const COMP_TILE = [160, 130];
const GREY = 0.67;

export function join(parent, name) {
  if (name.startsWith("/")) return name;
  return parent === "/" ? `/${name}` : `${parent}/${name}`;
}

export function parentOf(path) {
  const at = path.lastIndexOf("/");
  return at <= 0 ? "/" : path.slice(0, at);
}

export function nameOf(path) {
  return path.slice(path.lastIndexOf("/") + 1) || "/";
}

/** Build the model. `told` has path, type, operators, annotations. */
export function networkModel(told) {
  const operators = (told.operators ?? []).map((row) => tile(row, told.path));
  const byPath = new Map(operators.map((op) => [op.path, op]));
  const wires = [];
  for (const op of operators) {
    for (const [comp, rows] of [[false, op.row.inputs], [true, op.row.comp_inputs]]) {
      (rows ?? []).forEach((source, index) => {
        if (source === null) return;
        const name = typeof source === "string" ? source : source.from;
        const from = byPath.get(join(told.path, name));
        const output = typeof source === "string" ? 0 : (source.output ?? 0);
        (comp ? op.compSources : op.sources).push({ name, output, index });
        if (!from) return;
        wires.push({ from, to: op, output, index, comp });
        from.feeds.push(op);
        if (!comp) from.outputs = Math.max(from.outputs, output + 1);
      });
    }
    op.inputs = (op.row.inputs ?? []).length;
  }
  if (operators.some((op) => op.unplaced)) place(operators, wires);
  const annotations = (told.annotations ?? []).map((row) => {
    const [x, y] = row.position ?? [0, 0];
    const [w, h] = row.size ?? [200, 100];
    return { name: row.name, title: row.title ?? "", text: row.text ?? "", color: row.color, x, y: -(y + h), w, h };
  });
  return { path: told.path, type: told.type, total: told.total ?? operators.length, operators, byPath, wires, annotations };
}

function tile(row, network) {
  const family = familyOf(row.type ?? "");
  const [w, h] = row.size ?? (family === "COMP" ? COMP_TILE : TILE);
  const [x, y] = row.position ?? [0, 0];
  const problems = row.problems ?? [];
  const inside = row.holds ?? (row.children ? row.children.length : undefined);
  return {
    row,
    name: row.name,
    path: join(network, row.name),
    type: row.type ?? "",
    family,
    x,
    y: -(y + h),
    w,
    h,
    unplaced: row.position === undefined,
    flags: row.flags ?? {},
    tint: tintOf(row.color),
    problems,
    broken: problems.some((p) => p.severity !== "warning"),
    holds: inside,
    sources: [],
    compSources: [],
    feeds: [],
    inputs: 0,
    outputs: 1,
    // What is compared to see whether it changed; errors come and go without anybody's edit.
    print: JSON.stringify({ ...row, problems: undefined, holds: undefined, children: undefined, left_out: undefined }),
  };
}

function tintOf(color) {
  if (!color || color.every((part) => Math.abs(part - GREY) < 0.01)) return null;
  return `rgb(${color.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255)).join(" ")})`;
}

// Readings without positions (outlines): columns by distance from the sources.
function place(operators, wires) {
  const column = new Map(operators.map((op) => [op, 0]));
  for (let round = 0; round < operators.length; round += 1) {
    let moved = false;
    for (const wire of wires) {
      const next = column.get(wire.from) + 1;
      if (next > column.get(wire.to) && next < 200) {
        column.set(wire.to, next);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const rows = new Map();
  for (const op of operators) {
    const at = column.get(op);
    const row = rows.get(at) ?? 0;
    rows.set(at, row + 1);
    op.x = at * 220;
    op.y = row * 160;
  }
}

/** The smallest box around everything; null for an empty network. */
export function boundsOf(things) {
  if (!things.length) return null;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const it of things) {
    left = Math.min(left, it.x);
    top = Math.min(top, it.y);
    right = Math.max(right, it.x + it.w);
    bottom = Math.max(bottom, it.y + it.h);
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

/** Paths of operators that are new or not as they were. */
export function changedBetween(before, after) {
  if (!before || before.path !== after.path) return [];
  return after.operators.filter((op) => before.byPath.get(op.path)?.print !== op.print).map((op) => op.path);
}

/** Everything about an operator in one sentence or two, for those who do not see the picture. */
export function described(op) {
  const parts = [`${op.name}, ${op.type}`];
  const from = [...op.sources, ...op.compSources].map((s) => s.name);
  if (from.length) parts.push(`from ${from.join(", ")}`);
  if (op.feeds.length) parts.push(`to ${[...new Set(op.feeds.map((o) => o.name))].join(", ")}`);
  if (op.holds !== undefined && op.family === "COMP") parts.push(`${op.holds} operators inside`);
  for (const [flag, on] of Object.entries(op.flags)) if (on && MARKED.includes(flag)) parts.push(flag);
  if (op.flags.allowCooking === false) parts.push("cooking off");
  for (const p of op.problems) parts.push(`${p.severity.replace("_", " ")}: ${p.message}`);
  return parts.join("; ");
}

/** Flags that are marked on a tile, in this order. */
export const MARKED = ["bypass", "lock", "display", "render", "export"];
