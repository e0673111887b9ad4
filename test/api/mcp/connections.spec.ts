// Engines: one process, and several.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Vault } from '../../../src/ports/vault.port.js';
import type { TestApp } from '../../support/app.js';
import { startToolServer, type ToolServerScene } from '../../support/mcp/server.js';
import { done, eventsOf, keyOf, otherWorkspace, person } from '../../support/people.js';
import { onSeveral } from '../../support/shared-app.js';
import { sharedOutside } from '../../support/shared-outside.js';

const secret = 'sk-very-secret-key-of-a-server-0123456789';
let app: TestApp;
let server: ToolServerScene;
beforeAll(async () => {
  app = await sharedOutside({ several: onSeveral });
  await app.call('workspace/updateSettings', { versions: false });
});
beforeEach(async () => {
  server = await startToolServer();
});
afterEach(() => server.close());
afterAll(() => app.close());

let made = 0;
const add = (more: object = {}) =>
  done(app, 'connections/addMcpConnection', { name: `server ${made++}`, serverUrl: server.url, ...more });
const list = (key?: string, body: object = {}) => done(app, 'site/listMcpConnections', body, key);
const listed = async (id: string, body: object = {}) =>
  (await list(undefined, body)).find((one: { id: string }) => one.id === id);

/** A function with these connections. Returns how to run it. */
async function caller(connections: object[], code: string) {
  const fn = await done(app, 'automations/createFunction', { name: `caller ${made++}`, code, grants: { connections } });
  return (event: object = {}) => app.call('automations/invokeFunction', { id: fn.id, event });
}
const contextOf = (named: string, tool = 'echo', params: object = { text: 'hi' }) =>
  `return ctx.connections.call(${JSON.stringify(named)}, ${JSON.stringify(tool)}, ${JSON.stringify(params)});`;

describe('MCP connections', () => {
  it('are added, changed, tested, listed and removed (Q-S110)', async () => {
    const { id } = await add({ name: 'Weather', apiKey: secret, headers: { 'x-team': 'blue-team-value' } });
    expect(await listed(id)).toMatchObject({
      name: 'Weather',
      transport: 'http',
      serverUrl: server.origin,
      isEnabled: true,
      hasApiKey: true,
      hasOauth: false,
      hasClientSecret: false,
      authUnreadable: false,
      mayManage: true,
      lastOkAt: null,
      connectedAt: null,
    });
    expect(await done(app, 'connections/testMcpConnection', { id })).toEqual({ ok: true, tools: 1 });
    expect(server.seen.at(-1)).toMatchObject({ authorization: `Bearer ${secret}`, 'x-team': 'blue-team-value' });
    const tried = await listed(id, { tools: true });
    expect(tried).toMatchObject({ lastError: null, connectedAt: expect.any(String), tools: [{ name: 'echo' }] });
    await done(app, 'connections/updateMcpConnection', { id, name: 'Climate', isEnabled: false });
    expect(await listed(id)).toMatchObject({ name: 'Climate', isEnabled: false, hasApiKey: true });
    await done(app, 'connections/removeMcpConnection', { id });
    expect(await listed(id)).toBeUndefined();
    expect((await app.call('connections/testMcpConnection', { id })).body.code).toBe('mcp-connection-not-found');
  });

  it('show keys, headers and the whole address nowhere', async () => {
    const path = 'tenant-4711-secret-path';
    server.play = (_request, response) => {
      response.writeHead(500).end(`no: ${secret} ${path} ${server.url}/${path}`);
      return true;
    };
    const address = `${server.url}/${path}?token=query-token-value`;
    const { id } = await add({ serverUrl: address, apiKey: secret, headers: { 'x-own': 'header-value-9' } });
    await app.call('connections/testMcpConnection', { id });
    const fn = await caller([{ id }], contextOf(id));
    const shown = JSON.stringify([
      await list(undefined, { tools: true }),
      (await fn()).body,
      (await app.call('audit/listEvents', { limit: 200 })).body,
      (await app.call('audit/getHistory', { kind: 'mcpConnection', id })).body,
    ]);
    for (const one of [secret, path, 'query-token-value', 'header-value-9']) expect(shown).not.toContain(one);
    expect((await listed(id)).lastError).toMatch(/status 500/);
  });

  it('lose key and headers when they change to another origin, and keep them within it', async () => {
    const { id } = await add({ apiKey: secret, headers: { 'x-own': 'header-value' } });
    await done(app, 'connections/updateMcpConnection', { id, serverUrl: `${server.url}/` });
    await done(app, 'connections/testMcpConnection', { id });
    expect(server.seen.at(-1)?.authorization).toBe(`Bearer ${secret}`);
    const other = await startToolServer();
    const changed = await done(app, 'connections/updateMcpConnection', { id, serverUrl: other.url });
    expect(changed.hasApiKey).toBe(false);
    await done(app, 'connections/testMcpConnection', { id });
    expect(other.seen.at(-1)).not.toHaveProperty('authorization');
    expect(other.seen.at(-1)).not.toHaveProperty('x-own');
    await other.close();
  });

  it.each([
    ['cannot be decrypted', (vault: Vault, entry: string) => vault.destroy(entry)],
    ['is empty', (vault: Vault, entry: string) => vault.seal(entry, Buffer.from('{"url":""}'))],
  ])('whose URL %s are listed, and accept a key only with a new URL', async (_, spoil) => {
    const { id } = await add({ apiKey: secret });
    const events = await eventsOf(app, { types: ['McpConnectionAdded'] });
    const { metadata, data } = events.find(({ stream }) => stream.endsWith(id)) ?? {};
    await spoil(
      app.app.get(Vault, { strict: false }),
      `mcp-connection/${metadata?.workspaceId}/${Object(data).secretId}`,
    );
    const refused = await app.call('connections/updateMcpConnection', { id, apiKey: 'another' });
    expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, 'serverUrl']);
    const toolsError = expect.stringContaining('cannot be decrypted');
    expect(await listed(id, { tools: true })).toMatchObject({ authUnreadable: true, toolsError });
    await done(app, 'connections/updateMcpConnection', { id, serverUrl: server.url, apiKey: secret });
    expect(await listed(id, { tools: true })).toMatchObject({ authUnreadable: false, tools: [{ name: 'echo' }] });
  });

  it('can be managed by persons who are Editors or above', async () => {
    const { id } = await add();
    const [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
    const client = await keyOf(app, { kind: 'connection' });
    const managing = (key: string) => app.call('connections/updateMcpConnection', { id, isEnabled: true }, key);
    expect((await managing(editor.key)).status).toBe(200);
    for (const key of [viewer.key, client]) {
      expect((await managing(key)).status).toBe(403);
      expect((await list(key)).find((one: { id: string }) => one.id === id).mayManage).toBe(false);
    }
    const { ownerKey } = await otherWorkspace(app);
    expect(await list(ownerKey)).toEqual([]);
    expect((await app.call('connections/testMcpConnection', { id }, ownerKey)).status).toBe(404);
  });

  it('refuse the name service, taken names and invalid addresses', async () => {
    await add({ name: 'Taken' });
    const refused = async (more: object) =>
      (await app.call('connections/addMcpConnection', { name: `x${made++}`, serverUrl: server.url, ...more })).body;
    expect((await refused({ name: 'service' })).errors[0].path).toBe('name');
    expect((await refused({ name: 'Taken' })).code).toBe('mcp-connection-name-taken');
    for (const serverUrl of ['ftp://x.example', 'https://user:pass@x.example', 'nothing']) {
      expect((await refused({ serverUrl })).errors[0].path).toBe('serverUrl');
    }
    expect((await refused({ headers: { Host: 'x' } })).errors[0].path).toBe('headers.Host');
    expect((await refused({ headers: { 'x-a': 'two\r\nlines' } })).errors[0].path).toBe('headers.x-a');
    expect((await refused({ apiKey: 'k', headers: { Authorization: 'k' } })).errors[0].path).toBe(
      'headers.authorization',
    );
  });
});

describe('ctx.connections.call of a connection', () => {
  it("CC-19: returns the tool's answer, by id and by name, also over a long event stream", async () => {
    const { id, name } = await add();
    for (const named of [id, name]) {
      const { body } = await (await caller([{ id }], contextOf(named)))();
      expect(body.result).toEqual({ content: [{ type: 'text', text: 'you said hi' }] });
    }
    const sse = await add({ serverUrl: server.sseUrl, transport: 'sse', apiKey: secret });
    const { body } = await (await caller([{ id: sse.id }], contextOf(sse.name)))();
    expect(body.result).toEqual({ content: [{ type: 'text', text: 'you said hi' }] });
    expect(server.seen.at(-1)?.authorization).toBe(`Bearer ${secret}`);
  });

  it('GR-07: requires that the function lists it, with its tools', async () => {
    const { id } = await add();
    const grants = async (connections: object[]) =>
      app.call('automations/createFunction', { name: `g ${made++}`, code: 'return 1', grants: { connections } });
    const saved = await grants([{ id, tools: ['echo'] }]);
    expect(saved.body.grants.connections).toEqual([{ id, tools: ['echo'] }]);
    expect((await grants([{ id: 'mcp_none' }])).body.errors[0].path).toBe('grants.connections[0].id');
    expect((await grants([{ id: 'service' }])).body.errors[0].path).toBe('grants.connections[0].id');
    const failing = async (connections: object[], code: string) =>
      (await (await caller(connections, code))()).body.detail;
    expect(await failing([], contextOf(id))).toMatch(/list it in its connections/);
    expect(await failing([{ id, tools: ['other'] }], contextOf(id))).toMatch(/may not use the tool 'echo'/);
    expect(await failing([{ id }], contextOf('nothing'))).toMatch(/There is no connection 'nothing'/);
  });

  it('GR-08: opens no tool of the service, and serviceTools open no connection', async () => {
    const { id } = await add();
    const code = "return ctx.connections.call('service', 'automations_listFunctions', {});";
    expect((await (await caller([{ id }], code))()).body.detail).toMatch(/grants\.serviceTools/);
  });

  it('works for site functions that list it', async () => {
    const { id, name } = await add();
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'asks', code: contextOf(name) });
    const run = () => app.call('site/invokeBackendFunction', { projectId, functionName: 'asks' });
    expect((await run()).body.detail).toMatch(/list it in its connections/);
    await done(app, 'site/updateBackendFunction', { projectId, functionId: fn.id, connections: [{ id }] });
    expect((await run()).body.data).toEqual({ content: [{ type: 'text', text: 'you said hi' }] });
    await done(app, 'connections/removeMcpConnection', { id });
    expect((await run()).body.detail).toMatch(/There is no connection/);
  });

  it('hides the key if a tool repeats it, and passes on that a tool failed', async () => {
    const { id } = await add({ apiKey: secret });
    server.answer = () => ({ content: [{ type: 'text', text: `the key is ${secret}` }], isError: true });
    const { body } = await (await caller([{ id }], contextOf(id)))();
    expect(body.result).toEqual({ content: [{ type: 'text', text: 'the key is ***' }], isError: true });
  });
});

describe('a hostile server', () => {
  const failure = async (more: object = {}, code?: string) => {
    const { id } = await add({ apiKey: secret, ...more });
    return (await (await caller([{ id }], code ?? contextOf(id)))()).body.detail as string;
  };

  it('that redirects elsewhere gets no key there, and is not followed', async () => {
    const other = await startToolServer();
    server.play = (_request, response) => {
      response.writeHead(307, { location: other.url }).end();
      return true;
    };
    expect(await failure()).toMatch(/redirects to another address/);
    expect(other.seen).toEqual([]);
    await other.close();
  });

  it('is followed within its origin', async () => {
    server.play = ({ url = '' }, response) => {
      if (url !== '/mcp') return false;
      response.writeHead(308, { location: '/mcp/' }).end();
      return true;
    };
    const { id } = await add({ apiKey: secret });
    expect((await (await caller([{ id }], contextOf(id)))()).status).toBe(200);
  });

  it.each(['http://10.0.0.1/mcp', 'http://169.254.169.254/mcp', 'http://[fd00::1]/mcp'])(
    'at the private address %s is not reached',
    async (serverUrl) => {
      expect(await failure({ serverUrl })).toMatch(/EGRESS_ALLOW/);
    },
  );

  it('with an endless answer is cut off', async () => {
    server.play = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
      return true;
    };
    expect(await failure()).toMatch(/larger than 10 MB/);
  });

  it("that never answers is given the run's remaining time", async () => {
    server.play = () => true;
    const { id } = await add();
    const fn = await done(app, 'automations/createFunction', {
      name: 'waits',
      code: contextOf(id),
      grants: { connections: [{ id }] },
    });
    await done(app, 'automations/updateFunction', { id: fn.id, timeout: 1_000, isActive: true });
    const { body } = await app.call('automations/invokeFunction', { id: fn.id });
    expect(body.code).toBe('function-failed');
    expect(body.detail).toMatch(/1 s|1,?000|time/i);
  });

  it('that repeats the key where a text is shortened shows no part of it', async () => {
    const { id } = await add({ apiKey: secret });
    server.tools = [{ name: 'long', description: 'd'.repeat(1_980) + secret, inputSchema: { type: 'object' } }];
    const described = await listed(id, { tools: true });
    expect(described.tools[0].description).toHaveLength(1_983);
    Object.defineProperty(server, 'tools', {
      get: () => {
        throw new Error('x'.repeat(460) + secret);
      },
    });
    expect(await done(app, 'connections/testMcpConnection', { id })).toMatchObject({ ok: false });
    const { lastError } = await listed(id);
    expect(lastError).toContain('x'.repeat(400));
    expect(JSON.stringify([described, lastError])).not.toContain(secret.slice(0, 12));
  });

  it('that changes its tools, and describes them arbitrarily, does no harm', async () => {
    server.tools = [
      { name: 'a\u0000b', description: 'x', inputSchema: { type: 'object' } },
      { name: 'y'.repeat(300), description: 'x', inputSchema: { type: 'object' } },
      { name: '<script>', description: 'd'.repeat(5_000), inputSchema: { type: 'object', x: 'z'.repeat(30_000) } },
      {
        name: 'pattern',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      },
    ];
    const { id } = await add();
    const { tools } = await listed(id, { tools: true });
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['<script>', 'pattern']);
    expect(tools[0].description).toHaveLength(2_000);
    expect(tools[0].inputSchema).toEqual({ type: 'object' });
    server.tools = [];
    expect((await (await caller([{ id }], contextOf(id)))()).status).toBe(200);
  });
});
