// Engines: one process.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { UserPasswords } from '../../../src/areas/app-users/app-user/user-passwords.api.js';
import type { TestApp } from '../../support/app.js';
import { runs } from '../../support/depth.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let workspaceId: string;
beforeAll(async () => {
  app = await sharedApp();
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterAll(() => app.close());

/** A user in the model. */
interface Expected {
  id: string;
  email: string;
  name: string;
  isBanned: boolean;
  customFields: Record<string, unknown>;
  password: string;
  /** How many times all sessions of the user were ended. */
  ended: number;
}

const email = fc.constantFrom('a@example.com', 'A@Example.com', ' b@example.com', 'c@example.com', 'C@EXAMPLE.com ');
const password = fc.constantFrom('password one', 'password two', 'password three');
const customFields = fc.dictionary(fc.constantFrom('x', 'y'), fc.option(fc.integer({ min: 0, max: 3 })));
/** Index of a user. It may name one that is deleted or was never created. */
const which = fc.nat({ max: 4 });

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), email, password, customFields }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      which,
      sent: fc.record(
        { email, name: fc.constantFrom('Ada', 'Grace'), isBanned: fc.boolean(), customFields },
        { requiredKeys: [] },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), which, password }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const normal = (text: string) => text.trim().toLowerCase();

/** Applies the step to the model. Returns the status that the call must have. */
function expected(
  users: Expected[],
  one: Step,
  target: Expected | undefined,
  idOf: ReadonlyMap<string, string>,
): number {
  const taken = (wanted: string, by?: Expected) => users.some((user) => user !== by && user.email === normal(wanted));
  const merged = (before: Record<string, unknown>, sent: Readonly<Record<string, unknown>>) => {
    const all = { ...before };
    for (const [name, value] of Object.entries(sent)) {
      const id = idOf.get(name) ?? '';
      if (value === null) delete all[id];
      else all[id] = value;
    }
    return all;
  };
  if (one.kind === 'create') {
    if (taken(one.email)) return 409;
    const address = normal(one.email);
    const facts = {
      email: address,
      name: address.split('@')[0] ?? '',
      isBanned: false,
      password: one.password,
      ended: 0,
    };
    users.push({ id: '', ...facts, customFields: merged({}, one.customFields) });
    return 200;
  }
  if (target === undefined) return 404;
  if (one.kind === 'delete') {
    users.splice(users.indexOf(target), 1);
    return 200;
  }
  if (one.kind === 'reset') {
    Object.assign(target, { password: one.password, ended: target.ended + 1 });
    return 200;
  }
  const { sent } = one;
  if (sent.email !== undefined && taken(sent.email, target)) return 409;
  const ends =
    (sent.email !== undefined && normal(sent.email) !== target.email) || (sent.isBanned === true && !target.isBanned);
  Object.assign(target, {
    ...(sent.email === undefined ? {} : { email: normal(sent.email) }),
    ...(sent.name === undefined ? {} : { name: sent.name }),
    ...(sent.isBanned === undefined ? {} : { isBanned: sent.isBanned }),
    ...(sent.customFields === undefined ? {} : { customFields: merged(target.customFields, sent.customFields) }),
    ended: target.ended + Number(ends),
  });
  return 200;
}

it('users of a site equal a simple list model after any calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const { id: projectId } = await done(app, 'site/createProject', { name: 'Model' });
      const fields = ['x', 'y'].map((name) => ({ name, type: 'integer' }));
      const { authCustomFields } = await done(app, 'site/updateProjectAuth', {
        id: projectId,
        authCustomFields: fields,
      });
      const idOf = new Map<string, string>(
        authCustomFields.map((one: { name: string; id: string }) => [one.name, one.id]),
      );
      const users: Expected[] = [];
      for (const one of steps) {
        const target = one.kind === 'create' ? undefined : users[one.which];
        const userId = target?.id ?? 'usr_none';
        const status = expected(users, one, target, idOf);
        const { kind } = one;
        const reply = await (kind === 'create'
          ? call('createAppUser', { projectId, ...bodyOf(one) })
          : kind === 'update'
            ? call('updateAppUser', { projectId, userId, ...one.sent })
            : kind === 'reset'
              ? call('resetAppUserPassword', { projectId, userId, newPassword: one.password })
              : call('deleteAppUser', { projectId, userId }));
        expect([one, reply.status]).toEqual([one, status]);
        const made = users.at(-1);
        if (kind === 'create' && status === 200 && made !== undefined) made.id = reply.body.id;
      }
      await asExpected(projectId, users);
      await done(app, 'site/deleteProject', { id: projectId });
    }),
    { numRuns: runs(100) },
  );
}, 300_000);

const call = (operation: string, body: object) => app.call(`site/${operation}`, body);
const bodyOf = ({ kind: _, ...body }: Extract<Step, { readonly kind: 'create' }>) => body;

async function asExpected(projectId: string, expectedUsers: readonly Expected[]): Promise<void> {
  const { users, total } = await done(app, 'site/getAppUsers', { projectId });
  const shown = expectedUsers.map(({ password: _, ended: __, ...user }) => ({ ...user, role: null, roleIds: [] }));
  expect([total, users]).toEqual([shown.length, shown]);
  const sites = app.app.get(SiteUsers, { strict: false });
  const passwords = app.app.get(UserPasswords, { strict: false });
  for (const one of expectedUsers) {
    const found = await sites.byEmail(workspaceId, projectId, one.email);
    expect([found?.id, found?.passGeneration]).toEqual([one.id, one.ended]);
    expect(await passwords.matches({ workspaceId, projectId }, found, one.password)).toBe(true);
  }
}
