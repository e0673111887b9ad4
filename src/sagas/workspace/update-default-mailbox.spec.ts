import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { MailAccountChanges } from '../../areas/mailboxes/mail-account/mail-account-changes.api.js';
import { UpdateDefaultMailbox } from './update-default-mailbox.saga.js';

describe('the default mailbox', () => {
  it.each(['MailAccountCreated', 'MailAccountChanged', 'MailAccountDeleted'])('is updated after %s', (type) => {
    const stage = new Stage();
    const saga = new UpdateDefaultMailbox(stage.noting<MailAccountChanges>({ followForDefault: 'follows' }));
    const event = of('mailAccount', 'ma_1', { type, data: {} });
    const { at: askedAt } = event.metadata;
    return givenSaga(saga, stage)
      .gets(event)
      .does([
        'follows',
        expect.objectContaining({ workspaceId: 'ws_spec', commandId: 'default' }),
        { mailAccountId: 'ma_1', event, askedAt, late: true },
      ]);
  });
});
