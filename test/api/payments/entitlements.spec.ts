// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteUsers } from '../../../src/areas/app-users/app-user/site-users.api.js';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { judge } from '../../../src/kernel/judging/judge.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, otherWorkspace, person } from '../../support/people.js';

const day = 86_400_000;
const begin = Date.parse('2030-01-01T00:00:00Z');

let app: TestApp;
let clock: MadeUpClock;
let projectId: string;
let appUserId: string;
beforeAll(async () => {
  clock = new MadeUpClock(begin);
  app = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
}, 60_000);
afterAll(() => app.close());

let made = 0;
const newProject = async (): Promise<string> => (await done(app, 'site/createProject', { name: 'Shop' })).id;
const newUser = async (project = projectId): Promise<string> => {
  const email = `user-${made++}@example.com`;
  return (await done(app, 'site/createAppUser', { projectId: project, email, password: 'long enough' })).id;
};
beforeAll(async () => {
  projectId = await newProject();
});
beforeEach(async () => {
  appUserId = await newUser();
});

interface Shown {
  readonly key: string;
  readonly status: string;
  readonly expiresAt: string | null;
  readonly graceUntil: string | null;
  readonly source: object | null;
  readonly history: readonly { readonly change: string; readonly at: string }[];
}
const key = 'member';
const send = (operation: string, body: object = {}, as?: string) =>
  app.call(`site/${operation}`, { projectId, appUserId, key, ...body }, as);
const ok = async (operation: string, body: object = {}) => {
  const { status, body: answer } = await send(operation, body);
  expect([operation, status, answer]).toEqual([operation, 200, { success: true }]);
};
const refused = async (operation: string, body: object = {}, as?: string) => {
  const { status, body: answer } = await send(operation, body, as);
  return [status, answer.code, answer.errors?.[0]?.path].filter((one) => one !== undefined);
};
const list = (as?: string): Promise<readonly Shown[]> =>
  done(app, 'site/getEntitlements', { projectId, appUserId }, as);
const shown = async (): Promise<Shown> => {
  const [one] = await list();
  if (one === undefined) throw new Error('There is no entitlement.');
  return one;
};
const status = async () => (await shown()).status;
const changes = async () => (await shown()).history.map(({ change }) => change);
const from = (days: number) => new Date(clock.now() + days * day).toISOString();
const sweep = () => app.app.get(DueSweeps, { strict: false }).sweep('entitlement-watch');

/** Whether a rule that requires the entitlement admits the user. */
async function getsIn(user = appUserId): Promise<boolean> {
  const { workspaceId } = await workspaceOf();
  const users = app.app.get(SiteUsers, { strict: false });
  const found = await users.find(workspaceId, user);
  if (found === undefined) return false;
  const facts = { now: clock.now(), place: 'page', throughSite: true, person: await users.personOf(found) } as const;
  return judge({ type: 'has_entitlement', key }, facts, () => undefined).outcome === 'allowed';
}
const workspaceOf = async () => {
  const store = app.app.get(EventStore, { strict: false });
  const [first] = await store.readAll({ from: -1, limit: 1 });
  return { store, workspaceId: first?.metadata.workspaceId ?? '' };
};
const deleted = () =>
  eventually(
    () => recorded('EntitlementDeleted'),
    (count) => count === 1,
  );
async function recorded(type: string): Promise<number> {
  const { store } = await workspaceOf();
  let from = -1;
  let count = 0;
  for (;;) {
    const page = await store.readAll({ from, limit: 500 });
    if (page.length === 0) return count;
    count += page.filter(
      (one) => one.type === type && 'appUserId' in one.data && one.data.appUserId === appUserId,
    ).length;
    from = page.at(-1)?.position ?? from;
  }
}

describe('grantEntitlement', () => {
  it('without an expiry entitles for life', async () => {
    await ok('grantEntitlement');
    expect(await list()).toEqual([
      {
        key,
        expiresAt: null,
        graceUntil: null,
        source: null,
        status: 'active',
        history: [
          {
            change: 'granted',
            at: new Date(clock.now()).toISOString(),
            by: { kind: 'person', id: expect.stringMatching(/^mem_/) },
            expiresAt: null,
            graceUntil: null,
            source: null,
          },
        ],
      },
    ]);
    clock.advance(100 * 365 * day);
    expect([await status(), await getsIn()]).toEqual(['active', true]);
  });

  it('keeps the source, and another grant of the key creates no second record', async () => {
    await ok('grantEntitlement', { source: { couponCode: 'SPRING', by: ['hand'] } });
    await ok('grantEntitlement', { expiresAt: from(1), source: { why: 'renewed' } });
    const found = await list();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ expiresAt: from(1), source: { why: 'renewed' } });
    expect(found[0]?.history.map((one) => 'source' in one && one.source)).toEqual([
      { couponCode: 'SPRING', by: ['hand'] },
      { why: 'renewed' },
    ]);
  });

  it('repeated changes nothing', async () => {
    const terms = { expiresAt: from(10), graceUntil: from(20), source: { a: 1 } };
    await ok('grantEntitlement', terms);
    await ok('grantEntitlement', terms);
    expect(await changes()).toEqual(['granted']);
    const eleven = { 'idempotency-key': `grant-${appUserId}` };
    const body = { projectId, appUserId, key, source: { once: true } };
    await app.call('site/grantEntitlement', body, undefined, eleven);
    await app.call('site/grantEntitlement', body, undefined, eleven);
    expect(await changes()).toEqual(['granted', 'granted']);
  });

  it('extends a grace period beyond the expiry, up to its end', async () => {
    await ok('grantEntitlement', { expiresAt: from(1), graceUntil: from(3) });
    const seen = [];
    for (const step of [day - 1, 1, 2 * day - 1, 1]) {
      clock.advance(step);
      seen.push([await status(), await getsIn()]);
    }
    expect(seen).toEqual([
      ['active', true],
      ['grace', true],
      ['grace', true],
      ['expired', false],
    ]);
  });

  it('ignores a grace period without an expiry, and refuses one that ends before it', async () => {
    await ok('grantEntitlement', { graceUntil: from(3) });
    expect(await shown()).toMatchObject({ expiresAt: null, graceUntil: null, status: 'active' });
    const wrong = { expiresAt: from(3), graceUntil: from(2) };
    expect(await refused('grantEntitlement', wrong)).toEqual([400, 'invalid-input', 'graceUntil']);
    expect(await refused('extendEntitlement', wrong)).toEqual([400, 'invalid-input', 'graceUntil']);
    await ok('grantEntitlement', { expiresAt: from(3), graceUntil: from(3) });
  });

  it('restores a suspended, revoked or expired one', async () => {
    await ok('grantEntitlement');
    await ok('suspendEntitlement');
    await ok('grantEntitlement');
    expect([await status(), await getsIn()]).toEqual(['active', true]);
    await ok('revokeEntitlement');
    await ok('grantEntitlement', { expiresAt: from(1) });
    clock.advance(2 * day);
    expect([await status(), await getsIn()]).toEqual(['expired', false]);
    await ok('grantEntitlement');
    expect([await status(), await getsIn()]).toEqual(['active', true]);
    expect(await changes()).toEqual(['granted', 'suspended', 'granted', 'revoked', 'granted', 'granted']);
  });

  it.each([
    ['2031-02-03', '2031-02-03T00:00:00.000Z'],
    ['2031-02-03T04:05Z', '2031-02-03T04:05:00.000Z'],
    ['2031-02-03T04:05:06.789123+02:00', '2031-02-03T02:05:06.789Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('accepts %s as %s', async (expiresAt, answered) => {
    await ok('grantEntitlement', { expiresAt });
    expect(await shown()).toMatchObject({ expiresAt: answered });
  });

  it.each(['tomorrow', '9999-12-31T23:59:59-14:00', 1_925_000_000, null, {}])(
    'refuses the date %j',
    async (expiresAt) => {
      expect(await refused('grantEntitlement', { expiresAt })).toEqual([400, 'invalid-input', 'expiresAt']);
      expect(await list()).toEqual([]);
    },
  );

  it.each(['', 'x'.repeat(1_001), 'a\nb', 7, null])('refuses the key %j', async (wrong) => {
    expect(await refused('grantEntitlement', { key: wrong })).toEqual([400, 'invalid-input', 'key']);
  });

  it('refuses a source that is not an object, or larger than 4 KB', async () => {
    for (const source of ['text', [], 1, { a: 'x'.repeat(4_096) }]) {
      expect(await refused('grantEntitlement', { source })).toEqual([400, 'invalid-input', 'source']);
    }
  });

  it('distinguishes keys by case, and users and projects', async () => {
    await ok('grantEntitlement', { key: 'Member' });
    await ok('grantEntitlement', { key: 'member' });
    expect((await list()).map((one) => one.key)).toEqual(['Member', 'member']);
    appUserId = await newUser();
    expect(await list()).toEqual([]);
  });

  it('of twenty at once grants each key once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => ok('grantEntitlement', { source: { the: 'same' } })));
    expect(await changes()).toEqual(['granted']);
  });
});

describe('extendEntitlement', () => {
  it('requires a new expiry and extends until then', async () => {
    await ok('grantEntitlement', { expiresAt: from(1), graceUntil: from(2) });
    await ok('extendEntitlement', { expiresAt: from(30) });
    expect(await shown()).toMatchObject({ expiresAt: from(30), graceUntil: null });
    clock.advance(30 * day - 1);
    expect([await status(), await getsIn()]).toEqual(['active', true]);
    clock.advance(1);
    expect([await status(), await getsIn()]).toEqual(['expired', false]);
    expect(await refused('extendEntitlement')).toEqual([400, 'invalid-input', 'expiresAt']);
  });

  it('restores an expired one', async () => {
    await ok('grantEntitlement', { expiresAt: from(1) });
    clock.advance(2 * day);
    await sweep();
    await ok('extendEntitlement', { expiresAt: from(1), graceUntil: from(2) });
    expect([await status(), await getsIn()]).toEqual(['active', true]);
    expect(await changes()).toEqual(['granted', 'expired', 'extended']);
  });

  it('repeated changes nothing', async () => {
    await ok('grantEntitlement');
    await ok('extendEntitlement', { expiresAt: '2031-01-01' });
    await ok('extendEntitlement', { expiresAt: '2031-01-01T02:00+02:00' });
    expect(await changes()).toEqual(['granted', 'extended']);
  });
});

describe('suspendEntitlement', () => {
  it('ends access at once', async () => {
    await ok('grantEntitlement', { expiresAt: from(10), graceUntil: from(20) });
    await ok('suspendEntitlement');
    expect(await shown()).toMatchObject({ status: 'suspended', graceUntil: null });
    expect(await getsIn()).toBe(false);
  });

  it.each([
    ['its end', undefined, 3],
    ['the earlier expiry', 3, 3_650],
  ])('with a grace period ends access at %s, also if it is suspended again', async (_, expiry, days) => {
    await ok('grantEntitlement', expiry === undefined ? {} : { expiresAt: from(expiry) });
    for (const more of [0, 7]) await ok('suspendEntitlement', { graceUntil: from(days + more) });
    expect([await status(), await getsIn()]).toEqual(['suspended', true]);
    clock.advance(3 * day - 1);
    expect([await status(), await getsIn()]).toEqual(['suspended', true]);
    clock.advance(1);
    expect([await status(), await getsIn()]).toEqual(['suspended', false]);
  });
});

describe('revokeEntitlement', () => {
  it('ends access at once and keeps the history', async () => {
    await ok('grantEntitlement', { expiresAt: from(10), graceUntil: from(20) });
    await ok('revokeEntitlement');
    expect([await status(), await getsIn()]).toEqual(['revoked', false]);
    expect(await changes()).toEqual(['granted', 'revoked']);
  });
});

describe('invalid changes', () => {
  it('of an unknown entitlement are 404', async () => {
    for (const operation of ['extendEntitlement', 'suspendEntitlement', 'revokeEntitlement']) {
      const body = operation === 'extendEntitlement' ? { expiresAt: from(1) } : {};
      expect(await refused(operation, body)).toEqual([404, 'entitlement-not-found']);
    }
  });

  it('of a revoked one are 409', async () => {
    await ok('grantEntitlement');
    await ok('revokeEntitlement');
    for (const operation of ['extendEntitlement', 'suspendEntitlement', 'revokeEntitlement']) {
      const body = operation === 'extendEntitlement' ? { expiresAt: from(1) } : {};
      expect(await refused(operation, body)).toEqual([409, 'entitlement-revoked']);
    }
    expect(await changes()).toEqual(['granted', 'revoked']);
  });

  it('of unknown users, and users of other projects, are 404', async () => {
    const elsewhere = await newProject();
    const strange = await newUser(elsewhere);
    for (const operation of ['getEntitlements', 'grantEntitlement', 'suspendEntitlement', 'revokeEntitlement']) {
      for (const user of ['usr_none', strange, projectId]) {
        const body = { projectId, appUserId: user, ...(operation === 'getEntitlements' ? {} : { key }) };
        const { status: code, body: answer } = await app.call(`site/${operation}`, body);
        expect([operation, code, answer.code]).toEqual([operation, 404, 'app-user-not-found']);
      }
    }
    await done(app, 'site/deleteProject', { id: elsewhere });
  });

  it('by a Viewer, or from another workspace, are refused', async () => {
    await ok('grantEntitlement');
    const viewer = await person(app, 'viewer');
    const reading = await app.call('site/getEntitlements', { projectId, appUserId }, viewer.key);
    expect([reading.status, await refused('grantEntitlement', {}, viewer.key)]).toEqual([403, [403, 'viewer-refused']]);
    const { ownerKey } = await otherWorkspace(app);
    expect((await refused('revokeEntitlement', {}, ownerKey))[0]).toBe(404);
    const editor = await person(app, 'editor');
    expect(await list(editor.key)).toHaveLength(1);
  });
});

describe('the end of an entitlement', () => {
  it('is recorded once, even with several sweeps at once and after a restart', async () => {
    await ok('grantEntitlement', { expiresAt: from(1), graceUntil: from(2) });
    clock.advance(day);
    await sweep();
    expect(await recorded('EntitlementExpired')).toBe(0);
    clock.advance(day);
    await Promise.all([sweep(), sweep(), sweep()]);
    await sweep();
    expect(await recorded('EntitlementExpired')).toBe(1);
    expect(await changes()).toEqual(['granted', 'expired']);
    app = await app.restart();
    await sweep();
    expect(await recorded('EntitlementExpired')).toBe(1);
  }, 60_000);

  it('is not recorded if it was extended, suspended, revoked or granted again in the meantime', async () => {
    for (const [operation, body] of [
      ['extendEntitlement', { expiresAt: from(5) }],
      ['suspendEntitlement', {}],
      ['revokeEntitlement', {}],
      ['grantEntitlement', {}],
    ] as const) {
      appUserId = await newUser();
      await ok('grantEntitlement', { expiresAt: from(1) });
      clock.advance(2 * day);
      await ok(operation, { ...body, ...('expiresAt' in body ? { expiresAt: from(5) } : {}) });
      await sweep();
      expect([operation, await recorded('EntitlementExpired')]).toEqual([operation, 0]);
    }
  });

  it('is recorded for each of many at once', async () => {
    const keys = Array.from({ length: 120 }, (_, n) => `key-${n}`);
    for (const one of keys) await ok('grantEntitlement', { key: one, expiresAt: from(1) });
    clock.advance(day);
    await sweep();
    expect(await recorded('EntitlementExpired')).toBe(keys.length);
  });

  it('is recorded each time', async () => {
    await ok('grantEntitlement', { expiresAt: from(1) });
    clock.advance(day);
    await sweep();
    await ok('extendEntitlement', { expiresAt: from(1) });
    clock.advance(day);
    await sweep();
    expect(await recorded('EntitlementExpired')).toBe(2);
  });

  it('follows from the deletion of the user or the project', async () => {
    const mine = await newProject();
    const user = await newUser(mine);
    await done(app, 'site/grantEntitlement', { projectId: mine, appUserId: user, key });
    await done(app, 'site/deleteProject', { id: mine });
    appUserId = user;
    await deleted();
    appUserId = await newUser();
    await ok('grantEntitlement');
    await done(app, 'site/deleteAppUser', { projectId, userId: appUserId });
    expect(await refused('getEntitlements', { key: undefined })).toEqual([404, 'app-user-not-found']);
    expect(await getsIn()).toBe(false);
    await deleted();
  });
});
