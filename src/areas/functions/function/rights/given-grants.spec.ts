import { describe, expect, test } from '@jest/globals';
import { refusalOf } from '../../../../../test/support/given/given.js';
import { type GrantsInput, wholeGrants } from '../function.js';
import { checkGivenGrants } from './given-grants.js';

const own = wholeGrants({
  bases: [{ projectId: 'prj_read', access: 'read' }, { projectId: 'prj_write' }],
  databaseIds: ['base_own'],
  connections: [{ id: 'con_all' }, { id: 'con_some', tools: ['a', 'b'] }],
});
const giving = (sent: GrantsInput, present: GrantsInput = {}, by: typeof own | undefined = own) =>
  checkGivenGrants(sent, wholeGrants(present), { own: by, caller: undefined });

const beyond: readonly (readonly [GrantsInput, string])[] = [
  [{ bases: [{ projectId: 'prj_other', access: 'read' }] }, 'read access to the site prj_other'],
  [{ bases: [{ projectId: 'prj_read' }] }, 'write access to the site prj_read'],
  [{ databaseIds: ['base_own', 'base_other'] }, 'the base base_other'],
  [{ connections: [{ id: 'con_other' }] }, 'the connection con_other'],
  [{ connections: [{ id: 'con_some' }] }, 'the connection con_some'],
  [{ connections: [{ id: 'con_some', tools: ['a', 'c'] }] }, 'the connection con_some'],
];

describe('grants that running code gives to a function', () => {
  test.each(beyond)('are refused beyond its own: %j', (sent, what) => {
    const { code, kind, message } = refusalOf(() => giving(sent));
    expect([code, kind]).toEqual(['grant-not-yours', 'forbidden']);
    expect(message).toContain(what);
  });

  test('can be its own, or less', () => {
    giving(own);
    giving({ bases: [{ projectId: 'prj_write', access: 'read' }], connections: [{ id: 'con_all', tools: ['a'] }] });
    giving({ connections: [{ id: 'con_some', tools: ['b'] }] });
  });

  test.each(beyond)('can be what the function has already: %j', (sent) => {
    giving(sent, sent);
    giving({ ...sent, databaseIds: ['base_own', ...(sent.databaseIds ?? [])] }, sent);
  });
});

test.each(beyond)('callers without grants of their own can give %j', (sent) => {
  checkGivenGrants(sent, wholeGrants({}), { own: undefined, caller: undefined });
});
