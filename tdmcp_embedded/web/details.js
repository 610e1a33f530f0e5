// What is known of the selected operator: problems, wires, parameters.

import { button, element } from "./elements.js";
import { familyColor, familyInk } from "./families.js";

/** Fill `panel` with an operator of the model; `row` is what inspect_operator tells of it, once that has come. */
export function showDetails(panel, op, row, actions) {
  const family = element("span", { class: "nv-family" }, op.family);
  family.style.background = familyColor(op.family);
  family.style.color = familyInk(op.family);
  panel.replaceChildren(
    element("header", {},
      element("h3", {}, op.name, " ", family),
      button("×", actions.close, { class: "nv-close", "aria-label": "Close details" })),
    element("p", { class: "nv-path" }, op.path),
    problems(op),
    op.family === "COMP" ? button("Open this network", actions.enter, { class: "nv-enter" }) : "",
    facts(op, row),
    row ? parameters(row, actions) : element("p", { class: "nv-quiet", role: "status" }, "Reading parameters …"),
  );
}

/** Say why there is nothing to tell. */
export function showNoDetails(panel, sentence) {
  panel.querySelector("[role=status]")?.replaceChildren(sentence);
}

function problems(op) {
  if (!op.problems.length) return "";
  return element("ul", { class: "nv-problems" },
    ...op.problems.map((p) =>
      element("li", { class: p.severity === "warning" ? "nv-warning" : "nv-error" },
        element("strong", {}, p.severity.replace("_", " ")), " ", p.message)));
}

function facts(op, row) {
  const pairs = [["Type", op.type]];
  const from = [...op.sources, ...op.compSources].map((s) => (s.output ? `${s.name} (output ${s.output})` : s.name));
  if (from.length) pairs.push(["Inputs", from.join(", ")]);
  if (op.feeds.length) pairs.push(["Feeds", [...new Set(op.feeds.map((o) => o.name))].join(", ")]);
  const flags = Object.entries(op.flags).map(([name, on]) => (on ? name : `${name} off`));
  if (flags.length) pairs.push(["Flags", flags.join(", ")]);
  if (row?.data?.width) pairs.push(["Resolution", `${row.data.width} × ${row.data.height}`]);
  else if (row?.data?.channels !== undefined) pairs.push(["Channels", `${row.data.channels} × ${row.data.samples} samples`]);
  else if (row?.data?.rows !== undefined) pairs.push(["Size", `${row.data.rows} × ${row.data.columns}`]);
  else if (row?.data?.points !== undefined) pairs.push(["Points", row.data.points]);
  if (row?.cook) pairs.push(["Last cook", `${row.cook.ms} ms, ${row.cook.total} in all`]);
  if (op.row.comment) pairs.push(["Comment", op.row.comment]);
  return element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, String(value))]));
}

function parameters(row, actions) {
  const rows = Object.entries(row.parameters ?? {}).map(([name, par]) =>
    element("tr", {},
      element("th", { scope: "row", title: par.label ?? "" }, name),
      element("td", {}, shown(par.value), source(par))));
  const title = actions.all ? "All parameters" : "Changed parameters";
  return element("section", {},
    element("h4", {}, title),
    rows.length
      ? element("table", {}, element("tbody", {}, ...rows))
      : element("p", { class: "nv-quiet" }, actions.all ? "None." : "All are at their defaults."),
    button(actions.all ? "Only changed ones" : "Show all", actions.toggleAll, { class: "nv-more" }));
}

function source(par) {
  const text = par.expr ?? par.bind ?? par.export;
  return text ? element("code", {}, String(text)) : "";
}

function shown(value) {
  if (typeof value === "string") return value === "" ? "“”" : value;
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return JSON.stringify(value);
}
