// The line from an MCP App to the client that shows it: JSON-RPC over postMessage (MCP Apps, 2026-01-26).

const VERSION = "2026-01-26";
const PATIENCE_MS = 60_000;

export class Bridge {
  /** `handlers`: methods of notifications and requests from the host, each a function of its params. */
  constructor(handlers) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.number = 0;
    window.addEventListener("message", (event) => {
      if (event.source === window.parent && event.data?.jsonrpc === "2.0") this.receive(event.data);
    });
  }

  /** Introduce the app; gives what the host says of itself and of its surroundings. */
  async connect(name, version) {
    const host = await this.request("ui/initialize", {
      protocolVersion: VERSION,
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    this.notify("ui/notifications/initialized", {});
    return host;
  }

  /** Call a tool of our server; gives its result, or throws an Error with the sentence of its failure. */
  async callTool(name, given) {
    const result = await this.request("tools/call", { name, arguments: given });
    if (result.isError) throw new Error(result.structuredContent?.message ?? textOf(result) ?? "The call failed.");
    return result;
  }

  request(method, params) {
    const id = (this.number += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error("The client that shows this does not answer."));
      }, PATIENCE_MS);
      this.waiting.set(id, { resolve, reject, timer });
      this.post({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method, params) {
    this.post({ jsonrpc: "2.0", method, params });
  }

  post(message) {
    // A sandboxed frame does not know its parent's origin; nothing secret is said here.
    window.parent.postMessage(message, "*");
  }

  receive(message) {
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      if (!waiting) return;
      this.waiting.delete(message.id);
      clearTimeout(waiting.timer);
      if (message.error) waiting.reject(new Error(message.error.message ?? "The client refused."));
      else waiting.resolve(message.result ?? {});
      return;
    }
    const handler = this.handlers[message.method];
    if (message.id === undefined) {
      handler?.(message.params ?? {});
    } else if (handler) {
      this.post({ jsonrpc: "2.0", id: message.id, result: handler(message.params ?? {}) ?? {} });
    } else {
      this.post({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: `No method ${message.method}.` } });
    }
  }
}

/** The text of a tool's result. */
export function textOf(result) {
  return (result.content ?? []).filter((block) => block.type === "text").map((block) => block.text).join("\n");
}
