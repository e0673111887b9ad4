// Second tier.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { done, otherWorkspace } from '../../support/people.js';
import { type FloodedSite, floodedSite, floods, ownersCalls } from '../../support/sites/visitor-floods.js';

let app: TestApp;
let sites: readonly FloodedSite[];
let third: string;
beforeAll(async () => {
  app = await startApp();
  const { ownerKey } = await otherWorkspace(app);
  sites = [await floodedSite(app, app.ownerKey), await floodedSite(app, ownerKey)];
  third = (await otherWorkspace(app)).ownerKey;
}, 120_000);
afterAll(() => app.close());

/** Makes the calls of the owners and of a third workspace, twice. Returns those that were refused. */
async function refusedMeanwhile(): Promise<readonly unknown[]> {
  const refused: unknown[] = [];
  const call = async (operation: string, body: object, key: string) => {
    const { status, body: answer } = await app.call(operation, body, key);
    if (status !== 200) refused.push([operation, status, answer.code]);
  };
  for (let round = 0; round < 2; round++) {
    for (const site of sites) {
      for (const [operation, body] of ownersCalls(site)) await call(operation, body, site.key);
    }
    await call('automations/listFunctions', {}, third);
    await call('automations/createFunction', { name: `Third ${crypto.randomUUID()}`, code: 'return 1' }, third);
  }
  return refused;
}

describe('visitors without an account who flood two sites of two workspaces', () => {
  it.each(Object.keys(floods))(
    'with %s prevent no call of the owners, nor of a third workspace',
    async (name) => {
      let isOver = false;
      const flood = floods[name];
      const going = sites.map((site) => flood?.(app, site, () => isOver));
      await new Promise((resolve) => setImmediate(resolve));
      const refused = await refusedMeanwhile();
      isOver = true;
      await Promise.all(going);
      expect(refused).toEqual([]);
    },
    120_000,
  );

  it('with all of it at once cannot prevent an owner from closing the site', async () => {
    let isOver = false;
    const going = sites.flatMap((site) => Object.values(floods).map((flood) => flood(app, site, () => isOver)));
    await new Promise((resolve) => setImmediate(resolve));
    for (const { projectId, key } of sites) {
      await done(app, 'site/updateProjectAuth', { id: projectId, authAllowSignup: false }, key);
      await done(app, 'site/resetSitePasses', { id: projectId }, key);
    }
    isOver = true;
    await Promise.all(going);
  }, 120_000);
});
