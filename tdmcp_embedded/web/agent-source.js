// What the viewer asks for, by way of the tools that agents use; for the MCP App, which has nothing else.

import { join } from "./model.js";

const PAGE = 500;
const MOST = 3000;

export class AgentSource {
  constructor(bridge) {
    this.bridge = bridge;
    this.previewsAtOnce = 6;
  }

  /** A network whole: page after page, and the errors in it. */
  async network(path) {
    const told = { operators: [] };
    let cursor;
    do {
      const given = { path, view: "full", limit: PAGE, ...(cursor ? { cursor } : {}) };
      const page = (await this.bridge.callTool("read_network", given)).structuredContent;
      told.operators.push(...(page.operators ?? []));
      told.annotations ??= page.annotations;
      Object.assign(told, { path: page.path, type: page.type, total: page.total });
      cursor = page.next_cursor;
    } while (cursor && told.operators.length < MOST);
    await this.addProblems(told);
    return told;
  }

  /** Errors and warnings, to the operators that have them; a network without is drawn all the same. */
  async addProblems(told) {
    let found;
    try {
      found = (await this.bridge.callTool("check_errors", { path: told.path, depth: 1, limit: 200 })).structuredContent;
    } catch {
      return;
    }
    const rows = new Map(told.operators.map((row) => [join(told.path, row.name), row]));
    for (const group of found.problems ?? []) {
      for (const path of group.paths) {
        const row = rows.get(path);
        if (row) (row.problems ??= []).push({ severity: group.severity, message: group.message });
      }
    }
  }

  async operator(path, all) {
    const given = { paths: [path], parameters: all ? "all" : "changed" };
    return (await this.bridge.callTool("inspect_operator", given)).structuredContent.operators[0];
  }

  async previews(operators) {
    const found = {};
    for (const op of operators) {
      try {
        if (op.family === "TOP") {
          const given = { path: op.path, max_size: 208, format: "jpeg" };
          const block = (await this.bridge.callTool("capture_image", given)).content.find((b) => b.type === "image");
          if (block) found[op.path] = { image: `data:${block.mimeType};base64,${block.data}` };
        } else {
          const told = (await this.bridge.callTool("read_data", { path: op.path, limit: 64 })).structuredContent;
          found[op.path] = { curves: (told.channels ?? []).slice(0, 6).map(({ name, samples }) => ({ name, samples })) };
        }
      } catch {
        // One that gives no picture keeps its plain tile.
      }
    }
    return found;
  }
}
