// Engines: one process.
// Second tier.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { type Engines, startEngines } from '../../support/engines.js';

let engines: Engines;
let apps: TestApp[];
beforeEach(async () => {
  engines = await startEngines();
  apps = [];
});
afterEach(async () => {
  for (const app of apps) await app.close();
  await engines.close();
});

/** An installation with its own namespace and database on the shared engines. */
async function installation(namespace: string): Promise<TestApp> {
  const names = { EVENTSTOREDB_NAMESPACE: namespace, MONGODB_DATABASE: `${namespace.slice(0, 20)}_db` };
  const environment = { ...engines.environment, ...names };
  const app = await startApp({ engines: { ...engines, environment }, closesEngines: false });
  apps.push(app);
  return app;
}

const create = (app: TestApp, name: string) => app.call('automations/createFunction', { name, code: 'return 1' });

describe('two installations on one EventStoreDB', () => {
  it('do not see each other', async () => {
    const unique = randomUUID().replaceAll('-', '').slice(0, 12);
    const first = await installation(`first_${unique}`);
    expect(first.ownerKey).not.toBe('');
    const { body: fn } = await create(first, 'plus one');
    const second = await installation(`second_${unique}`);
    expect(second.ownerKey).not.toBe('');
    expect(second.ownerKey).not.toBe(first.ownerKey);

    // Keys work only in their own installation, and a name used in one is free in the other.
    expect((await second.call('automations/listFunctions', {}, first.ownerKey)).status).toBe(401);
    expect((await first.call('automations/listFunctions', {}, second.ownerKey)).status).toBe(401);
    expect((await second.call('automations/listFunctions')).body).toEqual([]);
    expect((await second.call('automations/getFunction', { id: fn.id })).status).toBe(404);
    const { status, body: other } = await create(second, 'plus one');
    expect([status, other.id === fn.id]).toEqual([200, false]);

    const audited = async (app: TestApp) => {
      const { body } = await app.call('audit/listEvents');
      return JSON.stringify(body);
    };
    expect(await audited(first)).toContain(fn.id);
    expect(await audited(first)).not.toContain(other.id);
    expect(await audited(second)).toContain(other.id);
    expect(await audited(second)).not.toContain(fn.id);

    const again = await first.restart();
    apps.push(again);
    const names = (await again.call('automations/listFunctions')).body.map(({ id }: { id: string }) => id);
    expect(names).toEqual([fn.id]);
  }, 90_000);

  it('cannot be separated by an invalid name', async () => {
    await expect(installation('no-hyphens.or dots')).rejects.toThrow(
      'EVENTSTOREDB_NAMESPACE must be 1 to 50 letters, digits or underscores, beginning with a letter.',
    );
  });
});
