// The cost of AI clients: a tool call compared with the same operation over HTTP, a call of another server's tool
// compared with the SDK alone, and idle connected clients.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startToolServer } from '../../test/support/mcp/server.ts';
import { ownerKey } from '../../test/support/service-process.ts';
import { inTurn, median, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const functions = 50;
const head = ['', 'p50 ms', 'CPU µs', 'by HTTP', 'CPU µs', 'p50 ratio', 'CPU ratio', 'failed'];

export async function mcp({
  seconds = scaled(5),
  rounds = scaled(3),
  calls = scaled(200, 3),
  clients = scaled(1_000, 3),
} = {}) {
  const service = await startService({ environment: { EGRESS_ALLOW: '127.0.0.1' } });
  try {
    await Promise.all(
      Array.from({ length: functions }, (_, at) =>
        service.call('automations/createFunction', { name: `Function ${at}`, code: `return params.a + ${at};` }),
      ),
    );
    table(`listFunctions of ${functions} functions, as a tool`, await served(service, { seconds, rounds }));
    table('ctx.connections.call, one after the other', await called(service, calls));
    table('idle MCP clients', await idle(service, clients));
  } finally {
    await service.stop();
  }
}

async function served(service, { seconds, rounds }) {
  const rows = [head];
  const authorization = `Bearer ${ownerKey}`;
  const tool = {
    path: '/mcp',
    headers: { authorization, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'automations_listFunctions', arguments: {} } },
  };
  const plain = { path: '/api/v1/automations/listFunctions', headers: { authorization }, body: {} };
  for (const connections of [1, 8]) {
    const load = (sent, length) => () => round({ server: service, ...sent, connections, seconds: length });
    await inTurn([load(tool, 2), load(plain, 1)], 1);
    const [ours, bare] = await inTurn([load(tool, seconds), load(plain, seconds)], rounds);
    rows.push([
      `${connections} connections`,
      ms(ours.p50),
      whole(ours.cpu),
      ms(bare.p50),
      whole(bare.cpu),
      ratio(ours.p50 / bare.p50),
      ratio(ours.cpu / bare.cpu),
      ours.failed + bare.failed,
    ]);
  }
  return rows;
}

/**
 * The time of a run that calls the tool minus that of a run that does not, compared with an SDK session for each call.
 */
async function called(service, calls) {
  const server = await startToolServer();
  try {
    const { id } = await service.call('connections/addMcpConnection', { name: 'bench', serverUrl: server.url });
    const make = (name, code) =>
      service.call('automations/createFunction', { name, code, grants: { connections: [{ id }] } });
    const calling = await make('calls', "return ctx.connections.call('bench', 'echo', { text: 'hi' })");
    const idle = await make('idle', 'return { content: [] }');
    const run = (fn) => () => service.call('automations/invokeFunction', { id: fn.id });
    const [ours, own, alone] = await turns([run(calling), run(idle), () => byTheSdk(server.url)], calls);
    return [
      ['', 'p50 ms'],
      ['a run that calls a tool', ms(ours)],
      ['a run that calls none', ms(own)],
      ['so the call', ms(ours - own)],
      ['the SDK alone, with a session for each call', ms(alone)],
      ['ratio', ratio((ours - own) / alone)],
    ];
  } finally {
    await server.close();
  }
}

async function byTheSdk(url) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
  await client.close();
}

/** The median time of each work in milliseconds. They take turns. */
async function turns(works, count) {
  for (const work of works) await work();
  const times = works.map(() => []);
  for (let turn = 0; turn < count; turn += 1) {
    for (const [at, work] of works.entries()) {
      const began = performance.now();
      await work();
      times[at].push(performance.now() - began);
    }
  }
  return times.map(median);
}

async function idle(service, count) {
  const before = residentMiB(service.pid);
  const requestInit = { headers: { authorization: `Bearer ${ownerKey}` } };
  const open = [];
  while (open.length < count) {
    const some = Array.from({ length: Math.min(50, count - open.length) }, async () => {
      const client = new Client({ name: 'idle', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
      return client;
    });
    open.push(...(await Promise.all(some)));
  }
  const after = residentMiB(service.pid);
  await Promise.all(open.map((client) => client.close()));
  return [
    ['clients', 'service MiB before', 'after'],
    [count, whole(before), whole(after)],
  ];
}

const residentMiB = (pid) => (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096) / 2 ** 20;
