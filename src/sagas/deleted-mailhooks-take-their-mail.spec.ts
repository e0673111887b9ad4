import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { InboundForgetting } from '../areas/triggers/mailhook/inbound-forgetting.api.js';
import type { Vault } from '../ports/vault.port.js';
import { DeletedMailhooksTakeTheirMail } from './deleted-mailhooks-take-their-mail.saga.js';

describe('a deleted mailhook', () => {
  it('loses its address, and then its mail', () => {
    const stage = new Stage();
    const saga = new DeletedMailhooksTakeTheirMail(
      stage.noting<InboundForgetting>({ all: 'forgets all' }),
      stage.noting<Vault>({ destroy: 'destroys' }),
    );
    return givenSaga(saga, stage)
      .gets(of('mailhook', 'mh_1', { type: 'MailhookDeleted', data: { reason: 'asked' } }))
      .does(['destroys', 'mailhook-address/ws_spec/mh_1'], ['forgets all', 'ws_spec', 'mh_1']);
  });
});
