import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { done, keyOf, person } from '../support/people.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

let made = 0;
const newName = () => `SECRET_${made++}`;

describe('who may', () => {
  const who = [
    'owner',
    'admin',
    'editor',
    'viewer',
    'connection',
    'agent',
    'automation',
    'flow',
    'readOnly',
    'neverDeletes',
  ];
  const keys = new Map<string, string>();
  const closed = {
    viewer: 'viewer-refused',
    readOnly: 'read-only-key',
    connection: 'caller-not-allowed',
    agent: 'caller-not-allowed',
    automation: 'caller-not-allowed',
    flow: 'caller-not-allowed',
  };
  const refusals: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    setEnvVar: closed,
    deleteEnvVar: { ...closed, neverDeletes: 'key-never-deletes' },
    listEnvVars: {},
  };
  beforeAll(async () => {
    keys.set('owner', app.ownerKey);
    for (const role of ['admin', 'editor', 'viewer'] as const) keys.set(role, (await person(app, role)).key);
    const agent = await done(app, 'workspace/addAgent', { name: 'Scout' });
    keys.set('agent', await keyOf(app, { kind: 'agent', agentId: agent.id }));
    for (const kind of ['connection', 'automation', 'flow'] as const) keys.set(kind, await keyOf(app, { kind }));
    keys.set('readOnly', await keyOf(app, { kind: 'person', readOnly: true }));
    keys.set('neverDeletes', await keyOf(app, { kind: 'person', neverDeletes: true }));
  });

  describe.each(Object.entries(refusals))('%s', (operation, refused) => {
    it.each(who)('asked by: %s', async (one) => {
      const name = newName();
      if (operation === 'deleteEnvVar') await done(app, 'automations/setEnvVar', { name, value: 'x' });
      const inputs = { setEnvVar: { name, value: 'x' }, deleteEnvVar: { name }, listEnvVars: {} };
      const input = inputs[operation as keyof typeof inputs];
      const { status, body } = await app.call(`automations/${operation}`, input, keys.get(one));
      expect([status, body.code]).toEqual(refused[one] === undefined ? [200, undefined] : [403, refused[one]]);
    });
  });
});
