import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { closeMcpClients, mcpClient, mcpPost } from '../../support/mcp/client.js';
import { done, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteClient } from '../../support/sites/site-client.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
  await app.call('workspace/updateSettings', { versions: false });
});
afterAll(async () => {
  await closeMcpClients();
  await app.close();
});

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'a test', version: '1' } },
});
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

async function slow(name: string, ms = 60_000) {
  const fn = await done(app, 'automations/createFunction', {
    name,
    code: `await new Promise((end) => setTimeout(end, ${ms})); return 'done'`,
    toolSpec: { inputSchema: {} },
  });
  return done(app, 'automations/updateFunction', { id: fn.id, isActive: true, timeout: 100_000 });
}
const statusOf = async (functionId: string) => {
  const [run] = await done(app, 'automations/listRuns', { functionId });
  return run?.status;
};

describe('the MCP endpoint', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('speaks the version %s', async (version) => {
    const { body } = await mcpPost(app, initialize(version));
    expect(body.result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'countersign' } });
  });

  it('answers the newest version that it supports to an unknown one, and refuses that one afterwards', async () => {
    expect((await mcpPost(app, initialize('2099-01-01'))).body.result.protocolVersion).toBe('2025-11-25');
    const sent = await mcpPost(app, list, app.ownerKey, { 'mcp-protocol-version': '2099-01-01' });
    expect(sent.status).toBe(400);
  });

  it('needs no session, gives one that any process knows, and refuses those of others', async () => {
    expect((await mcpPost(app, list)).status).toBe(200);
    const session = (await mcpPost(app, initialize('2025-11-25'))).headers.get('mcp-session-id') ?? '';
    const using = (key: string) => mcpPost(app, list, key, { 'mcp-session-id': session });
    expect((await using(app.ownerKey)).status).toBe(200);
    const { key } = await person(app, 'editor');
    expect(await using(key)).toMatchObject({ status: 404, body: { code: 'mcp-session-not-found' } });
    const foreign = await mcpPost(app, list, app.ownerKey, { 'mcp-session-id': 'anything' });
    expect(foreign.status).toBe(404);
  });

  it('accepts batches of a few messages, and calls at once', async () => {
    const { body } = await mcpPost(app, [list, { jsonrpc: '2.0', id: 3, method: 'ping' }]);
    expect(body.map(({ id }: { id: number }) => id).sort()).toEqual([2, 3]);
    const { done: used } = await mcpClient(app);
    const all = await Promise.all(Array.from({ length: 20 }, () => used('workspace_getWorkspace')));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  it('refuses other origins, media types, answer formats, methods and invalid JSON', async () => {
    const refused = async (headers: Record<string, string>, message: unknown = list) =>
      (await mcpPost(app, message, app.ownerKey, headers)).status;
    expect(await refused({ origin: 'https://elsewhere.example' })).toBe(403);
    expect(await refused({ origin: new URL(app.url).origin.replace('127.0.0.1', 'evil.example') })).toBe(403);
    expect(await refused({ 'content-type': 'text/plain' })).toBe(415);
    expect(await refused({ accept: 'application/json' })).toBe(400);
    expect(await refused({ accept: '*/*' })).toBe(200);
    expect(await refused({}, '{"jsonrpc"')).toBe(400);
    expect(await refused({}, { hello: 'world' })).toBe(400);
    expect(
      await refused(
        {},
        Array.from({ length: 10_000 }, (_, id) => ({ ...list, id })),
      ),
    ).toBe(400);
    expect(
      await refused(
        {},
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      ),
    ).toBe(400);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await app.send(method, '/mcp', undefined, {
        authorization: `Bearer ${app.ownerKey}`,
      });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it('is not on the hosts of sites', async () => {
    const { id } = await done(app, 'site/createProject', { name: 'Shop' });
    const { subdomain } = await done(app, 'site/getProject', { id });
    const headers = { authorization: `Bearer ${app.ownerKey}`, accept: 'application/json, text/event-stream' };
    for (const host of [`${subdomain}.localhost`, 'evil.example.com']) {
      expect((await new SiteClient(app, host).post('/mcp', list, headers)).status).toBe(404);
    }
  });

  it('tells a caller without a valid key where to get one', async () => {
    const { status, headers } = await mcpPost(app, list, 'csk_wrong');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata="http:\/\/[^"]+\/\.well-known\/oauth-protected-resource\/mcp", error="invalid_token"$/,
    );
  });
});

describe('a long call', () => {
  it('reports its progress, and is cancelled with the run that it started', async () => {
    const fn = await slow('slow');
    const { client } = await mcpClient(app);
    const cancelling = new AbortController();
    const told: number[] = [];
    const call = client.callTool({ name: 'function_slow', arguments: {} }, undefined, {
      signal: cancelling.signal,
      onprogress: ({ progress }) => told.push(progress),
    });
    await eventually(
      async () => told.length,
      (length) => length >= 2,
      10_000,
    );
    cancelling.abort('enough');
    await expect(call).rejects.toThrow(/enough/);
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'error',
      10_000,
    );
    const [run] = await done(app, 'automations/listRuns', { functionId: fn.id });
    expect(run.error).toContain('its caller cancelled it');
  });

  it('cannot be cancelled by another client with the same key', async () => {
    const fn = await slow('not cancelled');
    const [mine, other] = [await mcpClient(app), await mcpClient(app)];
    const stop = new AbortController();
    const call = mine.client.callTool({ name: 'function_not-cancelled', arguments: {} }, undefined, {
      signal: stop.signal,
    });
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'running',
      10_000,
    );
    for (let requestId = 0; requestId < 10; requestId += 1) {
      await other.client.notification({ method: 'notifications/cancelled', params: { requestId } });
    }
    expect(await statusOf(fn.id)).toBe('running');
    stop.abort();
    await expect(call).rejects.toThrow();
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'error',
      10_000,
    );
  });

  it('ends with its key, like the session', async () => {
    const fn = await slow('revoked');
    const { id, key } = await done(app, 'workspace/createApiKey', { name: 'soon revoked', kind: 'connection' });
    const { client } = await mcpClient(app, key);
    const call = client.callTool({ name: 'function_revoked', arguments: {} });
    const ended = expect(call).rejects.toThrow(/revoked/);
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'running',
      10_000,
    );
    await done(app, 'workspace/revokeApiKey', { id });
    await ended;
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'error',
      10_000,
    );
    await expect(client.listTools()).rejects.toThrow(/401|revoked/i);
  });

  it('continues when its client disconnects', async () => {
    const fn = await slow('left alone', 700);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'function_left-alone' } };
    const sent = request(`${app.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.ownerKey}`, 'content-type': 'application/json', accept: '*/*' },
    });
    const lost = new Promise((resolve) => sent.on('close', resolve));
    sent.on('error', () => undefined).end(JSON.stringify(call));
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'running',
      10_000,
    );
    sent.destroy();
    await lost;
    await eventually(
      () => statusOf(fn.id),
      (status) => status === 'success',
      10_000,
    );
  });
});
