import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
afterEach(() => app.close());

const functionOf = async (name: string) => {
  const { body } = await app.call('automations/createFunction', { name, code: 'return 1' });
  return body;
};

describe('a workspace', () => {
  it('can have a limited number of records of a kind, and room again when one is deleted', async () => {
    app = await startApp({ environment: { WORKSPACE_RECORDS: '3' } });
    const made = [await functionOf('A'), await functionOf('B'), await functionOf('C')];
    const refused = await app.call('automations/createFunction', { name: 'D' });
    expect([refused.status, refused.body.code]).toEqual([429, 'records-full']);
    expect(refused.body.detail).toContain('delete some first');
    expect((await app.call('automations/listFunctions', {})).body).toHaveLength(3);
    // Each kind of record has its own limit.
    expect(
      (await app.call('automations/setEnvVar', { name: 'A_KEY', value: 'a value that is long enough' })).status,
    ).toBe(200);
    expect((await app.call('automations/deleteFunction', { id: made[0].id })).status).toBe(200);
    expect((await app.call('automations/createFunction', { name: 'D' })).status).toBe(200);
  });

  it('counts only keys that are not revoked, but still lists revoked ones', async () => {
    app = await startApp({ environment: { WORKSPACE_RECORDS: '3' } });
    const keyNamed = (name: string) => app.call('workspace/createApiKey', { name, kind: 'automation' });
    // The Owner's key is the first of the three.
    const made = [(await keyNamed('A')).body, (await keyNamed('B')).body];
    expect((await keyNamed('C')).body.code).toBe('records-full');
    expect((await app.call('workspace/revokeApiKey', { id: made[0].id })).status).toBe(200);
    expect((await keyNamed('C')).status).toBe(200);
    const { body } = await app.call('workspace/listApiKeys', {});
    expect(body.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`).slice(1)).toEqual([
      'A revoked',
      'B active',
      'C active',
    ]);
  });

  it('refuses no call while there is room, however many compete for names, places and streams', async () => {
    app = await startApp({ environment: { WORKSPACE_RECORDS: '20' } });
    // All calls compete for one subdomain and one stream, so some of them are retried.
    const project = () => app.call('site/createProject', { name: 'Race' });
    const first = await Promise.all(Array.from({ length: 20 }, project));
    expect(first.map(({ status, body }) => [status, body.code])).toEqual(first.map(() => [200, undefined]));

    // A call that is refused for its name does not count towards the limit.
    const wanted = await Promise.all(Array.from({ length: 60 }, (_, n) => functionOf(`function ${n % 15}`)));
    expect(wanted.filter(({ id }) => id !== undefined)).toHaveLength(15);
    for (const name of ['P', 'Q', 'R', 'S', 'T']) expect((await functionOf(name)).name).toBe(name);
  });

  it('has no limit if it is switched off', async () => {
    app = await startApp({ environment: { WORKSPACE_RECORDS: '0' } });
    for (const name of ['A', 'B', 'C', 'D']) expect((await functionOf(name)).name).toBe(name);
  });
});

describe('grants', () => {
  it('are at most 16 KB of JSON, because every list shows them', async () => {
    app = await startApp();
    const grants = { databaseIds: Array.from({ length: 200 }, (_, at) => `${at}`.padStart(100, 'd')) };
    const refused = await app.call('automations/createFunction', { name: 'A', grants });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ path: 'grants', message: 'must be at most 16384 bytes of JSON' }],
    ]);
    const fits = { databaseIds: grants.databaseIds.slice(0, 100) };
    expect((await app.call('automations/createFunction', { name: 'A', grants: fits })).status).toBe(200);
  });
});
