import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import type { Reply } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, keyOf, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { PageClient } from '../../support/sites/page-client.js';

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let id: string;
let made = 0;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  const allowedHosts = ['old.example', 'new.example'];
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: 'a-secret-of-some-length', allowedHosts });
});
afterAll(() => app.close());
beforeEach(async () => {
  id = (await done(app, 'automations/createFunction', { name: `Refund ${made++}`, code: 'return 1' })).id;
});

const get = () => done(app, 'automations/getFunction', { id });
const setPowers = (input: object, key?: string) =>
  app.call('automations/setFunctionCapabilities', { id, ...input }, key);
const setSecrets = (hosts: string[], more: object = {}, key?: string) =>
  app.call('automations/setFunctionSecrets', { id, secrets: [{ name: 'KEY', hosts }], ...more }, key);
const card = ({ status, body }: Reply) => {
  expect([status, body.detail]).toEqual([202, undefined]);
  return body.pendingChange;
};
const getCard = (cardId: string) => done(app, 'approvals/getPendingChange', { id: cardId });
const waiting = async () => (await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges;

describe('a newer card of the same kind', () => {
  it('states in answers and the list which it replaces, and the older one which replaced it', async () => {
    const older = card(await setPowers({ capabilities: ['email'] }));
    const newer = card(await setPowers({ capabilities: ['env'] }));
    const replaces = { id: older.id, summary: older.summary };
    expect(newer.replaces).toEqual(replaces);
    expect(await getCard(newer.id)).toMatchObject({ replaces });
    expect(await waiting()).toMatchObject([{ id: newer.id, replaces }]);
    expect(await getCard(older.id)).toMatchObject({ status: 'replaced', replacedBy: { id: newer.id } });
  });

  it('says so on its page, with a link to the other', async () => {
    const older = card(await setPowers({ capabilities: ['email'] }));
    const newer = card(await setPowers({ capabilities: ['env'] }));
    const client = new PageClient(app);
    await client.signIn(app.ownerKey);
    expect((await client.get(`/approvals/${newer.id}`)).text).toMatch(
      new RegExp(`<dt>Replaces</dt><dd><a href="/approvals/${older.id}">Give the function`),
    );
    expect((await client.get(`/approvals/${older.id}`)).text).toContain(`<a href="/approvals/${newer.id}">`);
  });

  it('replaces nothing of another kind, and no decided card', async () => {
    const decided = card(await setPowers({ capabilities: ['email'] }));
    await done(app, 'approvals/rejectPendingChange', { id: decided.id });
    expect(card(await setSecrets(['old.example'])).replaces).toBeUndefined();
    expect(card(await setPowers({ capabilities: ['env'] })).replaces).toBeUndefined();
    expect((await waiting()).length).toBe(2);
  });

  it('is one of two cards for secrets as well', async () => {
    const older = card(await setSecrets(['old.example']));
    const newer = card(await setSecrets(['new.example']));
    expect(newer.replaces.id).toBe(older.id);
    expect((await app.call('approvals/approvePendingChange', { id: older.id, hash: older.hash })).status).toBe(409);
  });
});

describe('a power that is added', () => {
  it('is requested together with the contents of a pending card, which it replaces', async () => {
    const older = card(await setPowers({ add: ['email'] }));
    const newer = await setPowers({ add: ['env'] });
    expect(card(newer)).toMatchObject({
      changes: [{ path: 'capabilities', from: [], to: ['email', 'env'] }],
      replaces: { id: older.id },
    });
    await approved(app, newer);
    expect((await get()).capabilities).toEqual(['email', 'env']);
  });

  it('cannot be approved by the requester of the part that it took over, with four eyes', async () => {
    const [ann, ben, cleo] = [await person(app, 'editor'), await person(app, 'editor'), await person(app, 'editor')];
    await setPowers({ add: ['email'] }, ann.key);
    const { id: cardId, hash, alsoRequestedBy } = card(await setPowers({ add: ['env'] }, ben.key));
    expect(alsoRequestedBy).toMatchObject([{ kind: 'person', id: ann.id }]);
    await done(app, 'workspace/updateSettings', { fourEyes: true });
    const approve = (key: string) => app.call('approvals/approvePendingChange', { id: cardId, hash }, key);
    expect((await approve(ann.key)).body.code).toBe('four-eyes');
    expect((await approve(ben.key)).body.code).toBe('four-eyes');
    expect((await approve(cleo.key)).body.status).toBe('applied');
    await done(app, 'workspace/updateSettings', { fourEyes: false });
  });

  it.each([
    ['nothing', {}, 'capabilities'],
    ['an unknown power', { add: ['root'] }, 'add'],
    ['no list', { add: 'email' }, 'add'],
  ])('is refused with %s', async (_, input, path) => {
    const { status, body } = await setPowers(input);
    expect([status, body.errors[0].path]).toEqual([400, path]);
  });
});

describe('a secret that remains until its card is approved', () => {
  const hosts = async () => (await get()).secrets.map((one: { hosts: string[] }) => one.hosts);
  const keepUntilApproved = true;
  beforeEach(async () => approved(app, await setSecrets(['old.example'])));

  it('keeps its old host until then, and has the new one from then on', async () => {
    const reply = await setSecrets(['new.example'], { keepUntilApproved });
    expect(card(reply).summary).toMatch(/use KEY for new\.example, and no longer KEY for old\.example\.$/);
    expect([reply.body.undo, await hosts()]).toEqual([undefined, [['old.example']]]);
    await approved(app, reply);
    expect(await hosts()).toEqual([['new.example']]);
  });

  it('does not change when the card is rejected or expires', async () => {
    const rejected = card(await setSecrets(['new.example'], { keepUntilApproved }));
    await done(app, 'approvals/rejectPendingChange', { id: rejected.id });
    const expired = card(await setSecrets(['new.example'], { keepUntilApproved }));
    clock.advance(8 * 24 * 3_600_000);
    await app.app.get(DueSweeps).sweep('pending-change-expiry');
    expect([(await getCard(expired.id)).status, await hosts()]).toEqual(['expired', [['old.example']]]);
  });

  it('is removed at once if the call adds nothing', async () => {
    const { status, body } = await app.call('automations/setFunctionSecrets', { id, secrets: [], keepUntilApproved });
    expect([status, body.secrets, body.undo.id]).toEqual([200, [], expect.any(String)]);
  });

  it('cannot be removed by a key that never deletes', async () => {
    const { id: memberId } = await person(app, 'editor');
    const key = await keyOf(app, { kind: 'person', memberId, neverDeletes: true });
    const { status, body } = await setSecrets(['new.example'], { keepUntilApproved }, key);
    expect([status, body.code, await waiting()]).toEqual([403, 'key-never-deletes', []]);
  });
});
