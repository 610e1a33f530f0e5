// How to connect a client, and the key this page holds.

import { button, element, say } from "./elements.js";

const HIDDEN = "••••••••";

const byId = (id) => document.getElementById(id);

export class Connecting {
  constructor(server, keyLost) {
    this.server = server;
    this.ways = [];
    byId("client").addEventListener("change", () => this.show());
    byId("copy").addEventListener("click", () => this.copy());
    byId("renew").addEventListener("click", () => this.question(true));
    byId("renew-no").addEventListener("click", () => this.question(false));
    byId("renew-yes").addEventListener("click", () => this.renew());
    byId("forget").addEventListener("click", () => {
      server.use("");
      keyLost("This tab has forgotten the key.");
    });
  }

  /** What the server tells of the key and of ways to connect. */
  take(me) {
    this.ways = me.connect;
    const chosen = byId("client").value;
    byId("client").replaceChildren(...me.connect.map((way) => element("option", { selected: way.client === chosen }, way.client)));
    say(byId("url"), me.url);
    this.show();
    byId("renew").disabled = !me.key;
    byId("forget").disabled = !me.key;
    say(byId("own-key"), me.key
      ? `This page uses the key “${me.key.name}”: level ${me.level}, ${scope(me.key)}.`
      : `This server asks for no key on this machine; the level is ${me.level}.`);
    byId("key-table").hidden = !me.keys;
    byId("key-rows").replaceChildren(...(me.keys ?? []).map((key) => element("tr", {},
      element("td", {}, key.name),
      element("td", {}, key.level),
      element("td", {}, key.local_only ? "this machine" : "anywhere"),
      element("td", {}, key.expires ? new Date(key.expires * 1000).toLocaleDateString() : "never"))));
  }

  way() {
    return this.ways.find((way) => way.client === byId("client").value) ?? this.ways[0];
  }

  show() {
    const way = this.way();
    if (!way) return;
    say(byId("how"), way.how);
    say(byId("snippet"), way.text.replaceAll("{KEY}", HIDDEN));
    say(byId("copy"), "Copy");
  }

  async copy() {
    const text = this.way().text.replaceAll("{KEY}", this.server.key);
    try {
      await navigator.clipboard.writeText(text);
      say(byId("copy"), "Copied");
    } catch {
      // Browsers give pages the clipboard on trustworthy addresses only; then it is shown for copying by hand.
      say(byId("snippet"), text);
      getSelection().selectAllChildren(byId("snippet"));
      say(byId("copy"), "Press Ctrl+C");
    }
  }

  question(open) {
    byId("renew-question").hidden = !open;
    byId(open ? "renew-yes" : "renew").focus();
  }

  async renew() {
    byId("renew-yes").disabled = true;
    try {
      const { token } = await this.server.post("/api/renew", {});
      this.server.use(token);
      say(byId("renewed"), "Done. Set up your clients again with the new key: copy it from “Connect a client”.");
    } catch (problem) {
      say(byId("renewed"), problem.message);
    }
    byId("renew-yes").disabled = false;
    this.question(false);
  }
}

/** Open questions to the person: whether a client may have access, say. */
export function showConsents(server, questions) {
  const place = byId("consents");
  place.hidden = !questions.length;
  // The text changes too: its level can be lowered where the agent was begun.
  const shown = questions.map((question) => `${question.id} ${question.text}`).join();
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  const decide = (id, allow, outcome) =>
    server.post("/api/consent", { id, allow }).then(
      (told) => say(outcome, told.open ? (allow ? "Allowed." : "Refused.") : "This question was answered already."),
      (problem) => say(outcome, problem.message));
  place.replaceChildren(...questions.map((question) => {
    const outcome = element("span", { role: "status" });
    return element("div", {},
      element("h2", {}, question.title),
      element("p", {}, question.text),
      element("div", { class: "row" },
        button("Allow", () => decide(question.id, true, outcome), { class: "main" }),
        button("Refuse", () => decide(question.id, false, outcome)),
        outcome));
  }));
}

function scope(key) {
  return key.local_only ? "from this machine only" : "from anywhere";
}
