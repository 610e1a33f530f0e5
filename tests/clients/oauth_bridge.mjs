// A client on one of the TypeScript SDKs that signs in, driven line by line: a JSON command on standard input, JSON
// answers on standard output. Commands: {"do": "connect" | "call" | "expire", "tool", "arguments"}. Where a browser is needed it
// writes {"open": ADDRESS} and reads {"back": {"code", "state", "iss"}}, or {"back": null} if nobody signs in.
//
// node oauth_bridge.mjs PACKAGE URL CALLBACK

import { createInterface } from "node:readline";

const [, , sdk, url, callback] = process.argv;
const info = { name: `bridge ${sdk}`, version: "1" };
const kept = {};
let client;

const provider = {
  redirectUrl: callback,
  clientMetadata: {
    client_name: `bridge ${sdk}`,
    redirect_uris: [callback],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "state-of-the-bridge",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => (kept.tokens = tokens),
  redirectToAuthorization: (address) => (kept.open = String(address)),
  saveCodeVerifier: (verifier) => (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  invalidateCredentials: (scope) => {
    if (scope === "all" || scope === "tokens") delete kept.tokens;
    if (scope === "all" || scope === "client") delete kept.client;
  },
};

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => JSON.parse((await lines.next()).value);

async function parts() {
  if (sdk === "@modelcontextprotocol/client") return import(sdk);
  return {
    ...(await import(`${sdk}/client/index.js`)),
    ...(await import(`${sdk}/client/streamableHttp.js`)),
  };
}

async function connect() {
  const { Client, StreamableHTTPClientTransport } = await parts();
  const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  let transport = open();
  client = new Client(info);
  try {
    await client.connect(transport);
  } catch (error) {
    if (!kept.open) throw error;
    say({ open: kept.open });
    delete kept.open;
    const { back } = await next();
    if (!back) throw new Error("nobody signed in");
    const iss = back.iss === undefined ? [] : [back.iss];
    await transport.finishAuth(back.code, ...iss);
    transport = open();
    client = new Client(info);
    await client.connect(transport);
  }
  return {};
}

const commands = {
  connect,
  // It goes by the server's answers, not by a clock.
  expire: () => ({}),
  call: ({ tool, arguments: given }) => client.callTool({ name: tool, arguments: given }),
};

for (;;) {
  let command;
  try {
    command = await next();
  } catch {
    break;
  }
  try {
    say({ result: await commands[command.do](command) });
  } catch (error) {
    say({ error: kept.open ? "asks to sign in again" : String(error?.message ?? error) });
    delete kept.open;
  }
}
process.exit(0);
