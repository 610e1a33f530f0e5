// A client on one of the TypeScript SDKs, driven line by line: a JSON command on standard input, a JSON answer on
// standard output. Commands: {"do": "connect" | "list" | "call" | "close", "tool", "arguments"}.
//
// node bridge.mjs PACKAGE URL KEY

import { createInterface } from "node:readline";

const [, , sdk, url, key] = process.argv;
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const info = { name: `bridge ${sdk}`, version: "1" };
let client;

async function open() {
  if (sdk === "@modelcontextprotocol/client") {
    const { Client, StreamableHTTPClientTransport } = await import(sdk);
    client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    return;
  }
  const { Client } = await import(`${sdk}/client/index.js`);
  const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
  client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
}

const commands = {
  connect: async () => {
    await client?.close().catch(() => {});
    await open();
    return { server: client.getServerVersion?.() ?? null };
  },
  // The list comes first: the SDK checks answers against the output schemas that it has seen.
  list: () => client.listTools(),
  call: ({ tool, arguments: given }) => client.callTool({ name: tool, arguments: given }),
  close: async () => {
    await client?.close();
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = { result: await commands[command.do](command) };
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (command.do === "close") break;
}
process.exit(0);
