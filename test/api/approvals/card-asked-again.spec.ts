import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import type { Reply } from '../../support/app.js';
import { approved } from '../../support/approved.js';
import { agentWith } from '../../support/automations/agents.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { done, keyOf, otherWorkspace, type Person, person } from '../../support/people.js';
import { type OutsideApp, sharedStandingTime } from '../../support/shared-outside.js';
import { PageClient } from '../../support/sites/page-client.js';

let app: OutsideApp<MadeUpClock>;
let clock: MadeUpClock;
let editor: Person;
let viewer: Person;
let id: string;
let made = 0;
beforeAll(async () => {
  app = await sharedStandingTime();
  ({ clock } = app);
  [editor, viewer] = [await person(app, 'editor'), await person(app, 'viewer')];
  for (const name of ['KEY', 'OTHER']) {
    const allowedHosts = ['a.example', 'b.example'];
    await done(app, 'automations/setEnvVar', { name, value: `${name}-a-secret-of-some-length`, allowedHosts });
  }
});
afterAll(() => app.close());
beforeEach(async () => {
  id = (await done(app, 'automations/createFunction', { name: `Refund ${made++}`, code: 'return 1' })).id;
});

const get = () => done(app, 'automations/getFunction', { id });
const call = (operation: string, input: object, key?: string) =>
  app.call(`automations/${operation}`, { id, ...input }, key);
const card = ({ status, body }: Reply) => {
  expect([status, body.detail]).toEqual([202, undefined]);
  return body.pendingChange;
};
const askFull = async () =>
  call('setFunctionCapabilities', { capabilities: ['service'], seenVersion: (await get()).version }, editor.key);
const saveDraft = async (code: string) => {
  const { updatedAt: seenUpdatedAt } = await get();
  return (await done(app, 'automations/updateFunction', { id, code, seenUpdatedAt })).draft.versionId;
};
const publish = async (code: string) => call('publishFunction', { versionId: await saveDraft(code) });
/** Approves a card whose base has moved, which closes the card. */
const voided = async (reply: Reply) => {
  const { id: cardId, hash } = card(reply);
  expect((await app.call('approvals/approvePendingChange', { id: cardId, hash })).body.code).toBe(
    'pending-change-moved',
  );
  return cardId;
};
const pageOf = async (cardId: string, key: string) => {
  const client = new PageClient(app);
  await client.signIn(key);
  return (await client.get(`/approvals/${cardId}`)).text;
};
const askAgain = (cardId: string, key?: string) => app.call('approvals/askAgain', { id: cardId }, key);

describe('a void card that is requested again', () => {
  it('becomes a new card for the present function, by the new requester', async () => {
    const asked = await askFull();
    await publish('return 2');
    const again = await askAgain(await voided(asked));
    expect(card(again)).toMatchObject({
      kind: 'function-capabilities',
      summary: card(asked).summary,
      requestedBy: { kind: 'person', name: 'Owner' },
      status: 'pending',
    });
    expect(again.body.approveLink).toMatch(new RegExp(`/approvals/${card(again).id}$`));
    await approved(app, again);
    expect(await get()).toMatchObject({ capabilities: ['service'], code: 'return 2' });
  });

  it('of secrets keeps the changes of others to the list', async () => {
    const secrets = [{ name: 'KEY', hosts: ['a.example'] }];
    await approved(app, await call('setFunctionSecrets', { secrets }));
    const both = [...secrets, { name: 'OTHER', hosts: ['b.example'] }];
    const asked = await call('setFunctionSecrets', { secrets: both });
    await call('setFunctionSecrets', { secrets: [] });
    await approved(app, await askAgain(await voided(asked)));
    expect((await get()).secrets).toEqual([{ name: 'OTHER', hosts: ['b.example'] }]);
  });

  it('of a publication is refused if its draft is gone, and makes no card', async () => {
    await approved(app, await askFull());
    const asked = await publish('return 2');
    await done(
      app,
      'automations/updateFunction',
      { id, code: 'return 3', seenUpdatedAt: (await get()).updatedAt },
      editor.key,
    );
    const { status, body } = await askAgain(await voided(asked));
    expect([status, body.code]).toEqual([409, 'version-not-a-draft']);
    expect((await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges).toEqual([]);
  });

  it('of a deleted function is refused', async () => {
    const asked = await askFull();
    await done(app, 'automations/deleteFunction', { id });
    expect((await askAgain(await voided(asked))).status).toBe(404);
  });

  it('waits for nobody if the change is in effect already', async () => {
    const asked = await call('setFunctionCapabilities', { add: ['email'] });
    clock.advance(8 * 24 * 3_600_000);
    await app.app.get(DueSweeps).sweep('pending-change-expiry');
    await approved(app, await call('setFunctionCapabilities', { add: ['email'] }));
    expect(await askAgain(card(asked).id)).toMatchObject({ status: 200, body: { success: true } });
  });

  it('may be an expired one, even before its expiry is recorded', async () => {
    const asked = await call('setFunctionCapabilities', { add: ['email'] });
    clock.advance(8 * 24 * 3_600_000);
    await approved(app, await askAgain(card(asked).id));
    expect((await get()).capabilities).toEqual(['email']);
  });

  it('is one click on its page, which redirects to the new card', async () => {
    const asked = await askFull();
    await publish('return 2');
    const path = `/approvals/${await voided(asked)}`;
    const client = new PageClient(app);
    await client.signIn(app.ownerKey);
    const { status, location } = await client.submit(path, `${path}/ask-again`);
    const [waits] = (await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges;
    expect([status, location]).toEqual([303, `/approvals/${waits.id}`]);
    expect((await client.get(`/approvals/${waits.id}`)).text).not.toContain('ask-again');
  });
});

describe('cards of other records', () => {
  it('a flow: its secrets are requested again', async () => {
    const flow = await done(app, 'flows/createFlow', { name: `Flow ${made++}`, steps: [] });
    const secrets = [{ name: 'KEY', hosts: ['a.example'] }];
    const asked = await app.call('flows/setFlowSecrets', { id: flow.id, secrets });
    clock.advance(8 * 24 * 3_600_000);
    await approved(app, await askAgain(card(asked).id));
    expect((await done(app, 'flows/getFlow', { id: flow.id })).secrets).toEqual(secrets);
  });

  it('access rules of a site function, with Full data access', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: `Shop ${made++}` });
    const fn = await done(app, 'site/createBackendFunction', { projectId, name: 'pay', code: 'return 1' });
    const naming = { projectId, functionId: fn.functionId ?? fn.id };
    const { version: seenVersion } = await done(app, 'site/getBackendFunction', naming);
    await approved(
      app,
      await app.call('site/setFunctionCapabilities', { ...naming, capabilities: ['service'], seenVersion }),
    );
    const accessRules = { execute: { type: 'authenticated' } };
    const asked = await app.call('site/setBackendFunctionAccessRules', { functionId: naming.functionId, accessRules });
    clock.advance(8 * 24 * 3_600_000);
    await approved(app, await askAgain(card(asked).id));
    expect((await done(app, 'site/getBackendFunction', naming)).accessRules).toMatchObject(accessRules);
  });
});

describe('requesting again is refused', () => {
  it.each([
    ['waits', 'pending', async () => card(await askFull()).id],
    [
      'was approved',
      'applied',
      async () => {
        const asked = await askFull();
        await approved(app, asked);
        return card(asked).id;
      },
    ],
    [
      'was rejected',
      'rejected',
      async () => (await done(app, 'approvals/rejectPendingChange', { id: card(await askFull()).id })).id,
    ],
    [
      'was replaced',
      'replaced',
      async () => {
        const { id: older } = card(await askFull());
        await call('setFunctionCapabilities', { capabilities: ['email'] });
        return older;
      },
    ],
  ])('of a card that %s', async (_, status, cardOf) => {
    const { status: code, body } = await askAgain(await cardOf());
    expect([code, body.code, body.detail]).toEqual([409, 'pending-change-not-void', expect.stringContaining(status)]);
  });

  it('for the card of a call, whose input is not stored', async () => {
    const agent = await agentWith(app);
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    const { linkedBaseId: baseId } = await done(app, 'site/createProject', { name: `Shop ${made++}` });
    const table = await done(app, 'bases/createTable', { baseId, name: 'posts' });
    const asked = await app.call('bases/deleteTable', { id: table.id }, key);
    await done(app, 'bases/updateTable', { id: table.id, description: 'Needed' });
    const { status, body } = await askAgain(await voided(asked));
    expect([status, body.code, body.detail]).toEqual([
      409,
      'call-asked-again',
      expect.stringContaining('bases/deleteTable'),
    ]);
  });

  it('to those who may not request such a change', async () => {
    const secrets = [{ name: 'KEY', hosts: ['a.example'] }];
    const asked = card(await call('setFunctionSecrets', { secrets })).id;
    clock.advance(8 * 24 * 3_600_000);
    expect((await askAgain(asked, viewer.key)).status).toBe(403);
    const page = await pageOf(asked, viewer.key);
    expect(page).toContain('A Viewer may not call automations/setFunctionSecrets');
    expect(page).not.toContain('ask-again"');
    expect(await pageOf(asked, editor.key)).toContain('ask-again"');
    const agent = await agentWith(app);
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    expect((await askAgain(asked, key)).status).toBe(403);
    expect((await done(app, 'approvals/listPendingChanges', { targetId: id })).pendingChanges).toEqual([]);
  });

  it('for a card of another workspace, and an unknown one', async () => {
    const asked = card(await askFull()).id;
    const { ownerKey: key } = await otherWorkspace(app);
    expect((await askAgain(asked, key)).status).toBe(404);
    expect((await askAgain('change_none')).status).toBe(404);
  });
});
