import { describe, it } from '@jest/globals';
import { specMetadata } from '../../../test/support/given/given.js';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { MailAccountChanges } from '../../areas/mailboxes/mail-account/mail-account-changes.api.js';
import { mailDefaults } from '../../areas/mailboxes/mail-account/mail-default.record.js';
import type { AggregateLoader } from '../../engine/commands/aggregate-loader.js';
import type { RecordedSecrets } from '../../engine/records/recorded-secrets.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { UpdateDefaultMailbox } from './update-default-mailbox.saga.js';

const stream = 'mailDefault-ws_spec.ws_spec';
const askedAt = specMetadata().at;
const earlier = '2000-01-01T00:00:00.000Z';

/** @param chosenBy actors that chose a default after the event was recorded */
function given(now: string | null, chosenBy: readonly object[] = []) {
  const stage = new Stage().holds(mailDefaults, 'ws_spec', { mailAccountId: now, askedAt: earlier });
  const loader = {
    holds: async (of: string, isSuch: (event: RecordedEvent) => boolean) =>
      of === stream && chosenBy.some((actor) => isSuch({ position: 1, metadata: { actor } } as RecordedEvent)),
  } as unknown as AggregateLoader;
  const changes = new MailAccountChanges(stage.runner, {} as RecordedSecrets, loader);
  return givenSaga(new UpdateDefaultMailbox(changes), stage);
}

const chosen = (mailAccountId: string | null) =>
  ['records', stream, 'DefaultMailboxChosen', { mailAccountId, askedAt }, 'default'] as const;

describe('the default mailbox', () => {
  it.each([
    ['MailAccountCreated', null, 'ma_1'],
    ['MailAccountChanged', 'ma_2', 'ma_1'],
  ])('is chosen after %s if the call was interrupted before it could choose it', (type, now, next) =>
    given(now)
      .gets(of('mailAccount', 'ma_1', { type, data: { isDefault: true } }))
      .does(chosen(next)),
  );

  it('is none after its mailbox was deleted and the call was interrupted', () =>
    given('ma_1')
      .gets(of('mailAccount', 'ma_1', { type: 'MailAccountDeleted', data: {} }))
      .does(chosen(null)));

  it('stays the one that a call has chosen since, even if that call was made earlier', () =>
    given('ma_2', [{ kind: 'person' }])
      .gets(of('mailAccount', 'ma_1', { type: 'MailAccountChanged', data: { isDefault: true } }))
      .doesNothing());

  it('is chosen although the saga has chosen one for another call since', () =>
    given('ma_2', [{ kind: 'system' }])
      .gets(of('mailAccount', 'ma_1', { type: 'MailAccountChanged', data: { isDefault: true } }))
      .does(chosen('ma_1')));
});
