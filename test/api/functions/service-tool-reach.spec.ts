import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTool, toolNameOf } from '../../../src/engine/authorisation/service-tool.js';
import { allOperations, type RegisteredOperation } from '../../../src/engine/operation/operation.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { kept, type NarrowedSite, narrowedSite } from '../../support/sites/narrowed-site.js';
import { bodyAbout, namesSomethingOf } from '../../support/sites/site-bodies.js';

let app: TestApp;
let site: NarrowedSite;
let made = 0;
beforeAll(async () => {
  app = await sharedApp({ several: false });
  site = await narrowedSite(app);
}, 60_000);
afterAll(() => app?.close());

type Sent = readonly [tool: string, args: object];
/** What the code got from a call: the answer as JSON, or the code of the refusal. */
interface Got {
  readonly answer?: string;
  readonly code?: string;
}

const tools = () => allOperations().filter((one) => serviceTool(toolNameOf(one)) !== undefined);
const code = `
  const got = [];
  for (const [tool, args] of params.calls) {
    try { got.push({ answer: JSON.stringify(await ctx.connections.call('service', tool, args)) }) }
    catch (error) { got.push({ code: error.code }) }
  }
  return got;`;

/** Creates a function with all service tools and these grants. Returns a callback that makes calls with it. */
async function codeWith(grants: object): Promise<(...calls: readonly Sent[]) => Promise<readonly Got[]>> {
  made += 1;
  const name = `Reaches ${made}`;
  const sent = { name, code, grants: { ...grants, serviceTools: tools().map(toolNameOf) } };
  const { id } = await done(app, 'automations/createFunction', sent);
  await done(app, 'automations/updateFunction', { id, isActive: true });
  return async (...calls) => {
    const got: Got[] = [];
    // At most 10 calls in one run, because a run may make only a limited number.
    for (let at = 0; at < calls.length; at += 10) {
      const event = { calls: calls.slice(at, at + 10) };
      got.push(...(await done(app, 'automations/invokeFunction', { id, event })).result);
    }
    return got;
  };
}

/** Every service tool, with a body that names something of the site, or with one that does not. */
const about = (names: boolean): readonly (readonly [RegisteredOperation, object])[] =>
  tools()
    .map((operation) => [operation, bodyAbout(site, operation)] as const)
    .filter(([, body]) => namesSomethingOf(site, body) === names);
const sentOf = ([operation, body]: readonly [RegisteredOperation, object]): Sent => [toolNameOf(operation), body];

describe('FC-24: service tools inside the grants of the function', () => {
  it('are refused for everything of a site outside grants.bases, by any id, and reveal nothing of it', async () => {
    const call = await codeWith({});
    const named = about(true);
    const got = await call(...named.map(sentOf));
    const wrong = named
      .map(({ 0: { name } }, at) => [name, got[at]])
      .filter(([, one]) => (one as Got).code !== 'site-not-granted');
    expect(wrong).toEqual([]);
    expect(named.length).toBeGreaterThan(100);
    const others = about(false);
    const told = await call(...others.map(sentOf));
    expect(told.filter(({ answer = '' }) => answer.includes(kept))).toEqual([]);
  });

  it('can read a site with read access in grants.bases, and change nothing of it', async () => {
    const call = await codeWith({ bases: [{ projectId: site.project, access: 'read' }] });
    const named = about(true);
    const got = await call(...named.map(sentOf));
    const refused = ['site-not-granted', 'site-read-only'];
    const wrong = named
      .map(([{ name, effect }], at) => ({ name, effect, got: got[at] }))
      .filter(({ effect, got }) =>
        effect === 'command' ? got?.code !== 'site-read-only' : refused.includes(got?.code ?? ''),
      );
    expect(wrong).toEqual([]);
  });

  it('reach a base that belongs to no site only if grants.databaseIds lists it', async () => {
    const { id: baseId } = await done(app, 'bases/createBase', { name: 'Of no site' });
    const fields = [{ name: 'title', type: 'text' }];
    const { id: tableId } = await done(app, 'bases/createTable', { baseId, name: 'Rows', fields });
    const { id: row } = await done(app, 'bases/createRow', { tableId, values: { title: kept } });
    const calls: readonly Sent[] = [
      ['bases_getBase', { id: baseId }],
      ['bases_updateBase', { id: baseId, description: 'Told' }],
      ['bases_listTables', { baseId }],
      ['bases_createTable', { baseId, name: 'More' }],
      ['bases_getTable', { id: tableId }],
      ['bases_updateTable', { id: tableId, description: 'Told' }],
      ['bases_addField', { tableId, field: { name: 'size', type: 'integer' } }],
      ['bases_listRows', { tableId }],
      ['bases_getRow', { tableId, id: row }],
      ['bases_createRow', { tableId, values: {} }],
      ['bases_upsertRow', { tableId, match: { title: 'Tea' }, values: {} }],
      ['bases_deleteRow', { tableId, id: row }],
      ['bases_deleteBase', { id: baseId }],
    ];
    const without = await codeWith({ bases: [{ projectId: site.project, access: 'write' }] });
    const refused = await without(...calls);
    expect(refused).toEqual(calls.map(() => ({ code: 'base-not-granted' })));
    const [listed] = await without(['bases_listBases', {}]);
    expect(JSON.parse(listed?.answer ?? '').map(({ id }: { readonly id: string }) => id)).toEqual([site.base]);
    const within = await codeWith({ databaseIds: [baseId] });
    const got = await within(...calls.slice(0, -1));
    expect(got.filter(({ answer }) => answer === undefined)).toEqual([]);
    // A grant for the base alone is not enough, because the base belongs to a site.
    const listing = await codeWith({ databaseIds: [site.base] });
    expect(await listing(['bases_getBase', { id: site.base }])).toEqual([{ code: 'site-not-granted' }]);
  });
});

describe('functions that code creates or changes', () => {
  const versions = (on: boolean) => done(app, 'workspace/updateSettings', { versions: on });
  const create = (sent: object = {}) =>
    done(app, 'automations/createFunction', { name: `Made ${made++}`, code: 'return 1', ...sent });
  const own = () => ({ bases: [{ projectId: site.project, access: 'read' as const }] });

  it.each([
    ['a site', () => ({ bases: [{ projectId: site.project, access: 'read' }] }), () => ({})],
    ['a site to write to', () => ({ bases: [{ projectId: site.project }] }), own],
    ['a base', () => ({ databaseIds: [site.base] }), own],
    ['a connection', () => ({ connections: [{ id: 'con_1' }] }), own],
  ])('are not given %s that the code does not have itself', async (_, grants, ofCode) => {
    const call = await codeWith(ofCode());
    const { id, updatedAt: seenUpdatedAt } = await create();
    const before = (await done(app, 'automations/listFunctions')).length;
    expect(
      await call(
        ['automations_createFunction', { name: `Made ${made++}`, code: 'return 1', grants: grants() }],
        ['automations_updateFunction', { id, grants: grants(), seenUpdatedAt }],
      ),
    ).toEqual([{ code: 'grant-not-yours' }, { code: 'grant-not-yours' }]);
    expect((await done(app, 'automations/listFunctions')).length).toBe(before);
    expect((await done(app, 'automations/getFunction', { id })).draft).toBeNull();
  });

  it('can be given what the code has itself', async () => {
    const call = await codeWith(own());
    const [got] = await call(['automations_createFunction', { name: `Made ${made++}`, grants: own() }]);
    const { id, grants } = JSON.parse(got?.answer ?? '');
    expect(grants.bases).toEqual(own().bases);
    expect(await call(['automations_updateFunction', { id, isActive: true }])).toEqual([
      { answer: expect.stringContaining(id) },
    ]);
  });

  it('cannot be changed live or activated with access that the code does not have, but can be drafted', async () => {
    const call = await codeWith(own());
    const { id, updatedAt: seenUpdatedAt } = await create({ grants: { bases: [{ projectId: site.project }] } });
    const runBy = { pages: false, functions: [], agents: [] };
    const changes = [{ code: 'return 2' }, { accessRules: { runBy } }, { grants: {} }, { timeout: 2_000 }];
    const sent = [...changes, { isActive: true }].map(
      (change): Sent => ['automations_updateFunction', { id, ...change, seenUpdatedAt }],
    );
    await versions(false);
    expect(await call(...sent)).toEqual(sent.map(() => ({ code: 'automation-may-not-change' })));
    await versions(true);
    expect(await call(...sent.slice(-1))).toEqual([{ code: 'automation-may-not-change' }]);
    expect(await call(...sent.slice(0, 1))).toEqual([{ answer: expect.stringContaining('return 2') }]);
    const { code: live, draft, isActive } = await done(app, 'automations/getFunction', { id });
    expect([live, draft.code, isActive]).toEqual(['return 1', 'return 2', false]);
  });
});
