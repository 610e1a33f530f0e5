// The dashboard: what the server tells once a second and what happens meanwhile, put on the page.

import { Calls } from "./calls.js";
import { Chart } from "./chart.js";
import { Connecting, showConsents } from "./connecting.js";
import { element, say } from "./elements.js";
import { parentOf } from "./model.js";
import { DashboardServer, KeyWanted } from "./server.js";
import { NetworkViewer } from "./viewer.js";

const PICTURES_S = 2;
// Seconds between two readings of the network when nobody said that it changed: a person may have edited it.
const REREAD_S = 4;
const RETRY_MS = [500, 1000, 2000, 4000];
// What an agent reads is no reason to read the network again.
const READING = /^(get_|find_|inspect_|read_|capture_|check_|measure_|watch_|describe_|compare_|resources\/|prompts\/)/;

const INTO = /^(create_operator|build_network|arrange_network)$/;

const byId = (id) => document.getElementById(id);

class Dashboard {
  constructor() {
    this.server = new DashboardServer();
    this.calls = new Calls();
    this.connecting = new Connecting(this.server, (reason) => this.askKey(reason));
    this.frames = new Chart(byId("frames"), [["frame", "line"]]);
    this.work = new Chart(byId("work"), [["work", "area"]]);
    this.queue = new Chart(byId("queue"), [["queue", "area"]]);
    this.viewer = null;
    this.state = "";
    this.began = Date.now() / 1000;
    this.stop = new AbortController();
    byId("ask-key").addEventListener("submit", (event) => this.takeKey(event));
    byId("check").addEventListener("click", () => this.check());
    document.addEventListener("visibilitychange", () => this.reread(true));
    this.run();
  }

  // -- the line to the server -----------------------------------------------------------------------------------

  async run() {
    const { signal } = this.stop;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.server.enter();
        this.connecting.take(await this.server.ask("/api/me"));
        await this.server.listen((name, content) => {
          failures = 0;
          this.hear(name, content);
        }, signal);
      } catch (problem) {
        if (signal.aborted) return;
        if (problem instanceof KeyWanted) {
          this.askKey(problem.message);
          return;
        }
        this.tell("gone", problem.message, "Trying again …");
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
      failures += 1;
    }
  }

  askKey(reason) {
    this.stop.abort();
    byId("main").hidden = true;
    byId("ask-key").hidden = false;
    say(byId("key-reason"), reason);
    this.tell("refused", "No access");
    byId("key").focus();
  }

  takeKey(event) {
    event.preventDefault();
    this.server.use(byId("key").value.trim());
    byId("key").value = "";
    byId("ask-key").hidden = true;
    this.tell("", "Connecting …");
    this.stop = new AbortController();
    this.run();
  }

  hear(name, content) {
    if (name === "state") this.show(content);
    else if (name === "records" && content.length) this.happened(this.calls.add(content));
  }

  // -- what it tells --------------------------------------------------------------------------------------------

  show(told) {
    byId("main").hidden = false;
    byId("ask-key").hidden = true;
    const { condition, facts, queue, sample } = told;
    this.tell(condition.state, condition.sentence, [condition.advice, told.warning].filter(Boolean).join(" "));
    say(byId("for"), condition.seconds ? `(${Math.round(condition.seconds)} s)` : "");
    const saved = facts.saved === false ? " (never saved)" : facts.modified ? " (not saved)" : "";
    say(byId("project"), `${facts.project ?? ""}${saved} · build ${facts.build ?? "?"} · server ${told.version}`);
    document.title = `${facts.name || facts.project || "TouchDesigner"} · MCP`;
    this.chart(queue, sample, facts, told.budget_ms);
    this.figures(queue);
    this.clients(told);
    showConsents(this.server, told.consents);
    if (!this.viewer) this.look(facts);
    this.reread(false);
  }

  tell(state, sentence, advice = "") {
    document.body.dataset.state = state;
    if (state === "stalled" && this.state !== "stalled") this.reread(true);
    this.state = state;
    say(byId("sentence"), sentence);
    byId("advice").hidden = !advice;
    say(byId("advice"), advice);
  }

  chart(queue, sample, facts, budget) {
    const goal = facts.fps ? 1000 / facts.fps : null;
    const frame = sample.frame_ms === null ? "no frames" : `${sample.frame_ms.toFixed(1)} ms, ${sample.fps.toFixed(0)} fps`;
    this.frames.add([sample.frame_ms], frame, goal, " ms");
    this.work.add([sample.work_ms], sample.work_ms === null ? "–" : `${sample.work_ms.toFixed(2)} ms a frame`, budget, " ms");
    this.queue.add([sample.depth], `${sample.depth} of ${queue.capacity}`);
  }

  figures(queue) {
    const pairs = [
      ["Calls done", queue.done],
      ["failed", queue.failed],
      ["cancelled", queue.cancelled],
      ["dropped", queue.dropped],
      ["refused", queue.refused_busy + queue.refused_stalled],
      ["Wait", `${queue.wait_ms.p50.toFixed(1)} ms, at most ${queue.wait_ms.max.toFixed(0)} ms`],
      ["Frames over budget", `${queue.frames_over_budget} of ${queue.frames}`],
      ["Stalls", queue.stalls],
    ];
    byId("figures").replaceChildren(...pairs.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, String(value)))));
  }

  clients(told) {
    const count = told.sessions === 1 ? "1 session is open" : `${told.sessions} sessions are open`;
    say(byId("sessions"), `${count}; newer clients have none and appear with their calls.`);
    byId("clients").replaceChildren(...told.clients.map((row) => element("tr", {},
      element("td", {}, row.client || "unnamed"),
      element("td", {}, row.key || "none"),
      element("td", {}, row.address),
      element("td", { class: "number" }, String(row.calls)),
      element("td", { class: "number" }, String(row.failed)),
      element("td", {}, new Date(row.last * 1000).toLocaleTimeString([], { hour12: false })))));
  }

  // -- the network ----------------------------------------------------------------------------------------------

  look(facts) {
    this.viewer = new NetworkViewer(byId("viewer"), this.server, { pictures: PICTURES_S });
    const home = facts.component ? parentOf(facts.component) : "/project1";
    this.viewer.open(home);
    this.readAt = performance.now();
  }

  happened(records) {
    const edits = records.filter((record) =>
      record.tool && record.outcome === "ok" && !READING.test(record.tool) && record.time > this.began);
    if (!edits.length || !this.viewer) return;
    const last = edits[edits.length - 1];
    const paths = (last.target ?? "").split(", ").filter((path) => /^\/\S*$/.test(path));
    // Of some edits the path is that of the network in which something was made.
    const network = INTO.test(last.tool) ? paths[0] : paths.length ? parentOf(paths[0]) : "";
    this.reread(true).then(() => this.viewer.touched(paths, network));
  }

  /** Read the network again: at once, or when it is time to; a large one less often. */
  async reread(now) {
    if (!this.viewer || document.hidden || this.state === "gone" || this.state === "refused") return;
    const pause = REREAD_S * 1000 * Math.max(1, (this.viewer.model?.operators.length ?? 0) / 200);
    if (!now && performance.now() - this.readAt < pause) return;
    this.readAt = performance.now();
    await this.viewer.refresh();
  }

  async check() {
    byId("check").disabled = true;
    say(byId("errors-state"), "Looking …");
    try {
      const told = await this.server.ask("/api/errors?path=/");
      say(byId("errors-state"), told.ok
        ? `No errors or warnings on ${told.checked} operators.`
        : `${told.total} different messages on ${told.checked} operators.`);
      byId("errors").replaceChildren(...told.problems.map((group) => element("li", {},
        element("strong", { class: group.severity === "warning" ? "warning" : "error" }, group.severity.replace("_", " ")),
        ` ${group.message} `,
        ...group.paths.map((path) => element("button", { type: "button", onclick: () => this.go(path) }, path)))));
    } catch (problem) {
      say(byId("errors-state"), problem.message);
    }
    byId("check").disabled = false;
  }

  go(path) {
    byId("viewer").scrollIntoView({ block: "center" });
    this.viewer?.open(parentOf(path), path);
  }
}

window.dashboard = new Dashboard();
