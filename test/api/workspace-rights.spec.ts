import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workspaceOperations } from '../../src/areas/workspace/workspace.operations.js';
import { allOperations } from '../../src/engine/operation/operation.js';
import { startApp, type TestApp } from '../support/app.js';
import { done, keyOf, person } from '../support/people.js';

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
] as const;
type Who = (typeof who)[number];

/** What each is refused with; what is not named is let in. `connection`, `readOnly` and `neverDeletes` are the Owner's. */
const open = {};
const anyone = { viewer: 'viewer-refused', readOnly: 'read-only-key' };
const editors = {
  ...anyone,
  agent: 'caller-not-allowed',
  automation: 'caller-not-allowed',
  flow: 'caller-not-allowed',
};
const noRight = {
  editor: 'permission-missing',
  agent: 'permission-missing',
  automation: 'permission-missing',
  flow: 'permission-missing',
};
const admins = { ...anyone, ...noRight };
const persons = {
  agent: 'caller-not-allowed',
  automation: 'caller-not-allowed',
  flow: 'caller-not-allowed',
  connection: 'caller-not-allowed',
};
const taking = { neverDeletes: 'key-never-deletes' };

const refusals: Readonly<Record<string, Partial<Record<Who, string>>>> = {
  getWorkspace: open,
  getSettings: open,
  listMembers: open,
  listAgents: open,
  updateWorkspace: admins,
  updateSettings: { ...admins, ...persons },
  addMember: admins,
  updateMember: admins,
  removeMember: { ...admins, ...taking },
  addAgent: { ...editors, ...persons },
  updateAgent: editors,
  removeAgent: { ...editors, ...taking },
  createApiKey: { ...admins, ...persons },
  listApiKeys: { ...noRight, ...persons, viewer: 'permission-missing' },
  revokeApiKey: { ...admins, ...persons, ...taking },
};

let app: TestApp;
const keys = new Map<Who, string>();

beforeAll(async () => {
  app = await startApp();
  keys.set('owner', app.ownerKey);
  for (const role of ['admin', 'editor', 'viewer'] as const) keys.set(role, (await person(app, role)).key);
  const agent = await done(app, 'workspace/addAgent', { name: 'Scout' });
  keys.set('agent', await keyOf(app, { kind: 'agent', agentId: agent.id }));
  for (const kind of ['connection', 'automation', 'flow'] as const) keys.set(kind, await keyOf(app, { kind }));
  keys.set('readOnly', await keyOf(app, { kind: 'person', readOnly: true }));
  keys.set('neverDeletes', await keyOf(app, { kind: 'person', neverDeletes: true }));
});
afterAll(() => app.close());

describe.each(Object.entries(refusals))('%s', (operation, refused) => {
  it.each(who)('asked by: %s', async (one) => {
    const { status, body } = await app.call(`workspace/${operation}`, {}, keys.get(one));
    if (refused[one] === undefined) expect([200, 400]).toContain(status);
    else expect([status, body.code]).toEqual([403, refused[one]]);
  });

  it('asked with no key or a wrong one', async () => {
    for (const [authorization, code] of [
      ['', 'key-missing'],
      ['Bearer csk_nonsense', 'key-invalid'],
    ] as const) {
      const { status, body } = await app.call(`workspace/${operation}`, {}, '', { authorization });
      expect([status, body.code]).toEqual([401, code]);
    }
  });
});

it('says of every operation of the area who is let in', () => {
  const ours = workspaceOperations.map((input) => input.name[0]?.toLowerCase() + input.name.slice(1));
  const registered = allOperations().flatMap(({ name }) =>
    name.startsWith('workspace/') ? [name.slice('workspace/'.length)] : [],
  );
  expect(Object.keys(refusals).sort()).toEqual(registered);
  expect([...ours].sort()).toEqual(registered);
});

describe('an agent key', () => {
  it('never has more than an Editor has, nor more than its person', async () => {
    const viewer = await person(app, 'viewer', ['functions.edit']);
    const agent = await done(app, 'workspace/addAgent', { name: 'Small', memberId: viewer.id });
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    expect((await done(app, 'workspace/getWorkspace', {}, key)).me).toMatchObject({
      kind: 'agent',
      id: agent.id,
      role: 'viewer',
    });
    expect((await done(app, 'workspace/getWorkspace', {}, keys.get('agent'))).me).toMatchObject({ role: 'editor' });
  });
});
