// The calls as they happen, newest first, and the log beside them.

import { element } from "./elements.js";

const MOST = 200;
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export class Calls {
  constructor() {
    this.records = [];
    this.body = document.querySelector("#calls tbody");
    this.none = document.getElementById("no-calls");
    this.failures = document.getElementById("only-failed");
    this.list = document.getElementById("log");
    this.level = document.getElementById("log-level");
    this.failures.addEventListener("change", () => this.redraw());
    this.level.addEventListener("change", () => this.redraw());
  }

  add(records) {
    const last = this.records[this.records.length - 1]?.number ?? 0;
    // A server that was started anew counts from the beginning.
    if (records[0].number < last && records[0].number === 1) this.records = [];
    const fresh = records.filter((record) => record.number > (this.records[this.records.length - 1]?.number ?? 0));
    this.records.push(...fresh);
    this.records.splice(0, this.records.length - 5 * MOST);
    for (const record of fresh) this.draw(record);
    this.trim();
    return fresh;
  }

  redraw() {
    this.body.replaceChildren();
    this.list.replaceChildren();
    for (const record of this.records) this.draw(record);
    this.trim();
  }

  draw(record) {
    const failed = record.outcome !== undefined && record.outcome !== "ok" && record.outcome !== "asked";
    if (record.tool) {
      if (failed || !this.failures.checked) this.body.prepend(callRow(record, failed));
    } else if (LEVELS.indexOf(record.level) >= LEVELS.indexOf(this.level.value)) {
      this.list.prepend(element("li", {}, time(record), element("span", { class: record.level }, record.event)));
    }
  }

  trim() {
    while (this.body.children.length > MOST) this.body.lastElementChild.remove();
    while (this.list.children.length > MOST) this.list.lastElementChild.remove();
    this.none.hidden = this.body.children.length > 0;
  }
}

function callRow(record, failed) {
  return element("tr", { title: [record.client, record.key && `key ${record.key}`].filter(Boolean).join(", ") },
    element("td", {}, time(record)),
    element("td", {}, element("b", {}, record.tool), record.target ? element("span", { class: "target" }, record.target) : ""),
    element("td", { class: failed ? "failed" : "ok" }, (record.outcome ?? "").replaceAll("_", " ")),
    element("td", { class: "number" }, record.ms === undefined ? "" : String(Math.round(record.ms * 10) / 10)));
}

function time(record) {
  const when = new Date(record.time * 1000);
  return element("time", { datetime: when.toISOString() }, when.toLocaleTimeString([], { hour12: false }));
}
