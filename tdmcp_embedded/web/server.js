// The dashboard's line to the server: its questions, its stream of events, and the access key they go with.

const STORED = "tdmcp.key";

/** The server does not accept the key, or wants one; the message is its own sentence. */
export class KeyWanted extends Error {}

export class DashboardServer {
  constructor() {
    this.key = takeKey();
    this.code = takeCode();
    this.previewsAtOnce = 12;
  }

  use(key) {
    this.key = key;
    if (key) sessionStorage.setItem(STORED, key);
    else sessionStorage.removeItem(STORED);
  }

  /** Fetch the key with the one-time code that the component has given the browser, if it has. */
  async enter() {
    const code = this.code;
    if (!code) return;
    this.use("");
    let token;
    try {
      token = (await this.post("/api/browser", { code })).token;
    } catch (problem) {
      if (problem.status === undefined) throw problem; // no answer at all: to be tried again
      this.code = "";
      throw new KeyWanted(problem.message);
    }
    this.code = "";
    this.use(token);
  }

  headers(more = {}) {
    return this.key ? { Authorization: `Bearer ${this.key}`, ...more } : more;
  }

  async ask(path, options = {}) {
    let response;
    try {
      response = await fetch(path, { cache: "no-store", ...options, headers: this.headers(options.headers) });
    } catch {
      throw new Error("The server does not answer. TouchDesigner may have been closed.");
    }
    const told = await response.json().catch(() => ({}));
    if (response.ok) return told;
    const sentence = sentenceOf(told) || `The server answered ${response.status}.`;
    if (response.status === 401 || told.error?.data?.code === "key_is_local_only") throw new KeyWanted(sentence);
    throw Object.assign(new Error(sentence), { status: response.status });
  }

  post(path, body) {
    return this.ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }

  /** Listen to the stream until it ends or breaks; `heard(event, content)` for each event. */
  async listen(heard, signal) {
    let response;
    try {
      response = await fetch("/api/events", { cache: "no-store", headers: this.headers(), signal });
    } catch {
      throw new Error("The server does not answer. TouchDesigner may have been closed.");
    }
    if (!response.ok) {
      const told = await response.json().catch(() => ({}));
      const sentence = sentenceOf(told) || `The server answered ${response.status}.`;
      throw response.status === 401 || response.status === 403 ? new KeyWanted(sentence) : new Error(sentence);
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
        if (name) heard(name, JSON.parse(data));
      }
    }
  }

  // -- what the network viewer asks for ---------------------------------------------------------------------------

  network(path) {
    return this.ask(`/api/network?path=${encodeURIComponent(path)}`);
  }

  async previews(operators, atAnyCost) {
    const query = operators.map((op) => `path=${encodeURIComponent(op.path)}`).join("&");
    return (await this.ask(`/api/previews?${query}${atAnyCost ? "&any_cost=1" : ""}`)).previews;
  }

  async operator(path, all) {
    const told = await this.ask(`/api/operator?path=${encodeURIComponent(path)}&parameters=${all ? "all" : "changed"}`);
    if (!told.operators.length) throw new Error(`${path} is not there any more.`);
    return told.operators[0];
  }
}

/** The key from the address's fragment, which no server sees; at once taken out of the address, and kept for this tab. */
function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1));
  const key = given.get("key") ?? given.get("token");
  if (key) {
    sessionStorage.setItem(STORED, key);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(STORED) ?? "";
}

/** The one-time code from there, taken out likewise. */
function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}

function sentenceOf(told) {
  const { message = "", hint = "" } = told.error ?? {};
  return [message, hint].filter(Boolean).join(" ");
}
