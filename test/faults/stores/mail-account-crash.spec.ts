// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MailAccountChanges } from '../../../src/areas/mailboxes/mail-account/mail-account-changes.api.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Death, Fate } from '../../support/given/mortal-vault.js';
import { mailboxAt, shown } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

let fate: Fate;
let app: TestApp;
let workspaceId = '';
beforeEach(async () => {
  fate = new Fate();
  app = await startApp({ replacements: [fate.provider] });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterEach(() => app.close());

const entries = () => vaultEntries(app, 'mail-password/');
/** The entries without an expiry. */
const permanent = async () => (await entries()).filter(({ expiresAt }) => expiresAt === null).map(({ name }) => name);

/** Expects the password that the log refers to as the only permanent one. All others expire or are gone. */
async function agreesWithTheLog(id: string) {
  const events = await app.app.get(EventStore, { strict: false }).readStream(`mailAccount-${workspaceId}.${id}`);
  const ids = events.flatMap(({ type, data }) => {
    if (type === 'MailAccountDeleted') return ['gone'];
    const { passwordId } = data as { readonly passwordId?: string };
    return passwordId === undefined ? [] : [passwordId];
  });
  const last = ids.at(-1);
  const referred = last === 'gone' ? [] : [`mail-password/${workspaceId}/${last}`];
  await eventually(permanent, (found) => JSON.stringify(found) === JSON.stringify(referred));
}

async function startAgain() {
  fate.revive();
  app = await app.restart();
}

describe('a mailbox whose process dies', () => {
  const points: readonly (readonly [Death['at'], Death['when']])[] = [
    ['seal', 'before'],
    ['seal', 'after'],
    ['keep', 'before'],
    ['keep', 'after'],
    ['destroy', 'before'],
    ['destroy', 'after'],
  ];

  it.each(points)('while its password is replaced, at %s (%s), has one password in the end', async (at, when) => {
    const { id } = await done(app, 'automations/createMailAccount', mailboxAt({ port: 1 }));
    const again = () =>
      app.call('automations/updateMailAccount', { id, password: 'another one' }, undefined, { 'idempotency-key': 'k' });
    fate.death = { at, when, beginning: 'mail-password/' };
    await again();
    expect(fate.died).toBe(true);
    await startAgain();
    await agreesWithTheLog(id);
    expect((await again()).status).toBe(200);
    await agreesWithTheLog(id);
  });

  it.each(['before', 'after'] as const)(
    'while it is deleted, %s its password is destroyed, leaves no password',
    async (when) => {
      const { id } = await done(app, 'automations/createMailAccount', mailboxAt({ port: 1 }));
      fate.death = { at: 'destroy', when, beginning: 'mail-password/' };
      await app.call('automations/deleteMailAccount', { id });
      expect(fate.died).toBe(true);
      await startAgain();
      await agreesWithTheLog(id);
    },
  );

  it('between its event and the default still becomes the default, and no later choice is undone', async () => {
    // The process dies after sealing the first mailbox's password, so only the saga can make it the default.
    fate.death = { at: 'keep', when: 'after', beginning: 'mail-password/' };
    await app.call('automations/createMailAccount', mailboxAt({ port: 1 }, { isDefault: true }));
    await startAgain();
    const all = () => done(app, 'automations/listMailAccounts');
    const [first] = await eventually(all, ([one]) => one?.isDefault === true);
    const second = await done(app, 'automations/createMailAccount', mailboxAt({ port: 1 }, { isDefault: true }));
    // Runs the saga once more on the same event, as after a crash before its checkpoint.
    const events = app.app.get(EventStore, { strict: false });
    const [created] = await events.readStream(`mailAccount-${workspaceId}.${first.id}`);
    if (created === undefined) throw new Error('The first mailbox was not recorded.');
    const { UpdateDefaultMailbox: Saga } = await import('../../../src/sagas/workspace/update-default-mailbox.saga.js');
    const { Calls } = await import('../../../src/engine/operation/calls.js');
    const calls = app.app.get(Calls, { strict: false });
    await new Saga(app.app.get(MailAccountChanges, { strict: false })).react(created, (step) =>
      calls.because(created, 'again', step),
    );
    expect((await shown(app, second.id)).isDefault).toBe(true);
    expect((await shown(app, first.id)).isDefault).toBe(false);
  });
});
