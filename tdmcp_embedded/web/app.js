// The MCP App: shows the answer of the tool it was opened for, and goes on from there by calling tools itself.

import { AgentSource } from "./agent-source.js";
import { Bridge, textOf } from "./bridge.js";
import { button, say } from "./elements.js";
import { nameOf, parentOf } from "./model.js";
import { NetworkViewer } from "./viewer.js";

const HEIGHT = 480;
// How often (ms) a network that somebody looks at is read again: less and less while nothing changes, in the end never.
const LIVE_MS = [3000, 3000, 3000, 6000, 6000, 12_000, 12_000, 30_000, 30_000, 60_000];
const PICTURES_S = 10;

const byId = (id) => document.getElementById(id);
const root = document.documentElement;

let given = {};
let can = true;
let round = 0;
let timer = 0;
let mode = "inline";

const bridge = new Bridge({
  "ui/notifications/tool-input": (params) => (given = params.arguments ?? {}),
  "ui/notifications/tool-result": (result) => receive(result),
  "ui/notifications/tool-cancelled": () => viewer.complain("The call was cancelled."),
  "ui/notifications/host-context-changed": (context) => surroundings(context),
  "ui/resource-teardown": () => clearTimeout(timer),
  ping: () => ({}),
});
const source = new AgentSource(bridge);
const reload = button("Refresh", () => again(true), { title: "Read the network once more" });
const larger = button("Larger", () => enlarge(), { hidden: true });
const viewer = new NetworkViewer(byId("network"), source, { pictures: PICTURES_S, tools: [reload, larger] });

function surroundings(context) {
  if (context.theme) {
    root.dataset.theme = context.theme;
  }
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (name.startsWith("--") && value) root.style.setProperty(name, value);
  }
  if (context.availableDisplayModes) larger.hidden = !context.availableDisplayModes.includes("fullscreen");
  if (context.displayMode) mode = context.displayMode;
  say(larger, mode === "fullscreen" ? "Smaller" : "Larger");
  const box = context.containerDimensions;
  if (box) root.style.height = box.height ? "100vh" : `${Math.min(HEIGHT, box.maxHeight ?? HEIGHT)}px`;
  viewer.themeChanged();
}

async function enlarge() {
  const wanted = mode === "fullscreen" ? "inline" : "fullscreen";
  const told = await bridge.request("ui/request-display-mode", { mode: wanted }).catch(() => ({ mode }));
  surroundings({ displayMode: told.mode });
}

async function receive(result) {
  if (result.isError) {
    viewer.complain(textOf(result) || "The call failed.");
    return;
  }
  const block = (result.content ?? []).find((b) => b.type === "image");
  if (block) {
    // A picture comes without structured content; a client that leaves out _meta costs the caption, not the picture.
    picture(block, { path: given.path ?? "", ...result._meta?.["tdmcp-embedded/picture"] });
    return;
  }
  const told = result.structuredContent ?? {};
  byId("picture").hidden = true;
  byId("network").hidden = false;
  if (told.operators) {
    viewer.show(told);
    if (!can) return;
    // What the agent asked for may be a part of it, and never says what is wrong with it.
    if (told.next_cursor || told.operators.some((row) => row.position === undefined)) {
      await viewer.refresh();
    } else {
      await source.addProblems(told);
      if (viewer.path === told.path) viewer.show(told);
    }
  } else if (told.path ?? given.path) {
    await viewer.open(told.path ?? given.path);
  }
  live();
}

function picture(block, told) {
  byId("picture").hidden = false;
  byId("network").hidden = true;
  byId("shot").src = `data:${block.mimeType};base64,${block.data}`;
  const size = told.native_size ? `, ${told.native_size.join(" × ")} pixels` : "";
  const verdict = (told.verdict ?? "ok") === "ok" ? "" : `; it is ${told.verdict}`;
  say(byId("caption"), `${told.path}${size}${verdict}`);
  byId("shot").alt = `What ${told.path} shows${verdict}`;
  byId("where").hidden = !can || !told.path;
  byId("where").onclick = async () => {
    byId("picture").hidden = true;
    byId("network").hidden = false;
    await viewer.open(parentOf(told.path), nameOf(told.path));
    live();
  };
}

// The clock of looking again starts anew with everything that changes, and with every sign of interest.
function live() {
  round = 0;
  schedule();
}

function schedule() {
  clearTimeout(timer);
  if (can && round < LIVE_MS.length) timer = setTimeout(() => again(false), LIVE_MS[round]);
}

async function again(asked) {
  if (document.hidden || byId("network").hidden) {
    schedule();
    return;
  }
  const before = viewer.model?.operators.map((op) => op.print + op.problems.length).join();
  const came = await viewer.refresh();
  const after = viewer.model?.operators.map((op) => op.print + op.problems.length).join();
  round = asked || before !== after ? 0 : round + 1;
  if (came) schedule();
}

document.addEventListener("pointerdown", live);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) schedule();
});

bridge.connect("tdmcp-network", "1").then((host) => {
  // A host may show apps and yet not let them call tools: then it is a picture of that moment.
  can = host.hostCapabilities ? host.hostCapabilities.serverTools !== undefined : true;
  reload.hidden = !can;
  if (!can) viewer.previews.seconds = 0;
  surroundings(host.hostContext ?? {});
  bridge.notify("ui/notifications/size-changed", { height: HEIGHT });
}).catch((problem) => viewer.complain(problem.message));
