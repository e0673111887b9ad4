// Engines: one process, and several.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';
import { SiteFunctionsScene } from '../../support/sites/site-functions.js';
import { type SiteVisitors, siteVisitors, visitorPassword } from '../../support/sites/site-visitors.js';

const everybody = { execute: { type: 'public', scope: 'everywhere' } };
let app: TestApp;
let site: SiteFunctionsScene;
beforeAll(async () => {
  app = await sharedApp();
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  site = await SiteFunctionsScene.of(app, `Shop ${randomUUID()}`);
});

const granted = (...sites: readonly { readonly projectId: string }[]) => ({
  bases: sites.map(({ projectId }) => ({ projectId })),
});
const workspaceFunction = (code: string, more: object) =>
  done(app, 'automations/createFunction', { name: `fn ${randomUUID()}`, code, ...more });
const resultOf = async (code: string, grants: object) =>
  (await done(app, 'automations/invokeFunction', { id: (await workspaceFunction(code, { grants })).id })).result;
const tried = (call: string) => `try { return await ${call} } catch (error) { return [error.code, error.message] }`;

describe('ctx.sites', () => {
  it('calls methods of granted sites only, and lists no others (GR-01)', async () => {
    await site.create('greets', "return 'hello'", { exposed: true });
    const other = await SiteFunctionsScene.of(app, `Other ${randomUUID()}`);
    const { name } = await done(app, 'site/getProject', { id: site.projectId });
    const call = tried(`ctx.sites['${site.projectId}'].methods.call('greets')`);
    expect(await resultOf(call, granted(other))).toEqual([
      'site-not-granted',
      expect.stringContaining('list it in grants.bases'),
    ]);
    expect(await resultOf(`return Object.keys(ctx.sites)`, {})).toEqual([]);
    expect(await resultOf(call, granted(site))).toBe('hello');
    expect(await resultOf(`return Object.keys(ctx.sites)`, granted(site))).toEqual([name, site.projectId]);
  });

  it('throws for a name that two sites have, with their ids, whether or not they are granted (Q-A72)', async () => {
    const name = `Twin ${randomUUID()}`;
    const [one, two] = [await SiteFunctionsScene.of(app, name), await SiteFunctionsScene.of(app, name)];
    const named = `try { return typeof ctx.sites['${name}'] } catch ({ message }) { return message }`;
    for (const grants of [granted(one, two), granted(one), {}]) {
      expect(await resultOf(named, grants)).toBe(
        `Several sites are called '${name}': name one by its id, ${one.projectId} or ${two.projectId}.`,
      );
    }
    expect(await resultOf(`return typeof ctx.sites['${one.projectId}']`, granted(one))).toBe('object');
  });
});

describe('a run that a page of one site started', () => {
  let visitors: SiteVisitors;
  let other: SiteFunctionsScene;
  let pass: string;
  beforeEach(async () => {
    visitors = await siteVisitors(app);
    await visitors.user('ada@example.com');
    pass = await visitors.logIn('ada@example.com', visitorPassword);
    other = await SiteFunctionsScene.of(app, `Other ${randomUUID()}`);
    await done(app, 'site/updateProjectAuth', { id: other.projectId, authEnabled: true });
  });
  const calling = async (name: string) => {
    const { id } = await workspaceFunction(tried(`ctx.sites['${other.projectId}'].methods.call('${name}')`), {
      grants: granted(visitors, other),
      accessRules: {
        execute: { type: 'public', scope: 'internet' },
        runBy: { pages: true, functions: [], agents: [] },
      },
    });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    return async (as?: string) => (await visitors.post(`account-functions/${id}`, {}, as)).body.data;
  };
  const create = (name: string, code: string, accessRules?: object) =>
    other.create(name, code, { exposed: true, ...(accessRules && { accessRules }) });

  it("acts in another as that site's anonymous visitor, and never as its service", async () => {
    await create('for-users', 'return 1', { execute: { type: 'authenticated' } });
    await create('for-nobody', 'return 1');
    await create('for-all', 'return ctx.user', everybody);
    expect((await (await calling('for-users'))(pass))[0]).toBe('execute-refused');
    expect((await (await calling('for-nobody'))(pass))[0]).toBe('execute-refused');
    expect(await (await calling('for-all'))(pass)).toBeNull();
  });

  it('sees there the rows that such a visitor may see', async () => {
    const { linkedBase } = await done(app, 'site/getProject', { id: other.projectId });
    const { id: tableId } = await done(app, 'bases/createTable', { baseId: linkedBase.id, name: 'Notes', fields: [] });
    await done(app, 'bases/setTableAccessRules', { tableId, accessRules: { read: { type: 'authenticated' } } });
    await done(app, 'bases/createRow', { tableId, values: {} });
    await create('counts', "return (await ctx.tables.getRows('Notes')).rows.length", everybody);
    expect(await (await calling('counts'))(pass)).toBe(0);
    expect(await other.result('counts')).toBe(1);
  });
});
