import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { closeMcpClients, mcpClient } from '../../support/mcp/client.js';
import { done, keyOf } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteClient } from '../../support/sites/site-client.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(async () => {
  await closeMcpClients();
  await app.close();
});

const textOf = (content: unknown) => (content as { readonly text: string }).text;

describe('documentation for an AI client', () => {
  it('is the guide to getting started, and the topics of getCodeGuide', async () => {
    const { client } = await mcpClient(app);
    const { resources } = await client.listResources();
    const topics = (await done(app, 'site/getCodeGuide')).topics.map(({ topic }: { topic: string }) => topic);
    expect(resources.map(({ uri }) => uri)).toEqual([
      'countersign://guide/getting-started',
      ...topics.map((topic: string) => `countersign://guide/code/${topic}`),
    ]);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(textOf(contents[0]).length).toBeGreaterThan(200);
    }
    await expect(client.readResource({ uri: 'countersign://guide/code/../x' })).rejects.toThrow(/no resource/);
  });

  it('names only existing tools', async () => {
    const { client, names } = await mcpClient(app);
    const known = new Set(await names());
    const { contents } = await client.readResource({ uri: 'countersign://guide/getting-started' });
    const { messages } = await client.getPrompt({ name: 'build-site', arguments: { description: 'A shop' } });
    const text = `${textOf(contents[0])} ${textOf(messages[0]?.content)}`;
    const named = text.match(/\b(?:automations|site|bases|workspace)_[a-zA-Z]+/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('includes a prompt with the description, which is required', async () => {
    const { client } = await mcpClient(app);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'build-site' }]);
    const { messages } = await client.getPrompt({ name: 'build-site', arguments: { description: 'A bakery' } });
    expect(textOf(messages[0]?.content)).toContain('A bakery');
    await expect(client.getPrompt({ name: 'build-site', arguments: {} })).rejects.toThrow(/description/);
    await expect(client.getPrompt({ name: 'other' })).rejects.toThrow(/no prompt/);
  });
});

describe('a client that builds a site', () => {
  it('publishes it with tools only: project, table, page, function', async () => {
    const key = await keyOf(app, { kind: 'connection' });
    const { done: used } = await mcpClient(app, key);
    const { id: projectId, linkedBaseId: baseId } = await used('site_createProject', { name: 'Bakery' });
    await used('bases_createTable', { baseId, name: 'Breads', fields: [{ name: 'name', type: 'text' }] });
    await used('site_createBackendFunction', {
      projectId,
      name: 'breads',
      code: "return (await ctx.service.tables.readAll('Breads')).rows",
    });
    const content = 'export default function Breads() { return <main>Fresh bread</main>; }';
    await used('site_createPage', { projectId, name: 'Breads', path: '/breads', content });
    expect(await used('site_verifyBuild', { projectId })).toMatchObject({ ok: true });
    await used('site_publish', { id: projectId });
    await eventually(
      () => used('site_getPublishStatus', { projectId }),
      (status) => status === null,
      60_000,
    );
    const { publishedUrl } = await used('site_getProject', { id: projectId });
    const { status, text } = await new SiteClient(app, new URL(publishedUrl).host).get('/breads');
    expect(status).toBe(200);
    expect(text).toContain('Fresh bread');
  }, 120_000);
});

describe('an AI client of a site', () => {
  it('AP-01, AP-02: can use over MCP what the project permits, and nothing more', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Narrowed' });
    const agent = await done(app, 'workspace/addAgent', { name: 'Builder' });
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    const { call } = await mcpClient(app, key);
    expect((await call('site_listPages', { projectId })).isError).toBe(false);
    await done(app, 'site/updateAiPermissions', { projectId, aiPermissions: { 'backend-functions:*': true } });
    expect(JSON.parse((await call('site_listPages', { projectId })).texts[0] ?? '').code).toBe('ai-permission-missing');
    expect((await call('site_listBackendFunctions', { projectId })).isError).toBe(false);
    const wider = await app.call('site/updateAiPermissions', { projectId, aiPermissions: {} });
    expect(wider.body.code).toBe('ai-permissions-widen');
  });
});
