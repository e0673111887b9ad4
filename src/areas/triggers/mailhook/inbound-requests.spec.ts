import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../../test/support/given/given-saga.js';
import { sagaOf } from '../../../../test/support/given/job-saga.js';
import type { Saga } from '../../../engine/sagas/saga.js';
import { inboundJob } from './inbound-requests.api.js';

let stage: Stage;
let saga: Saga;
beforeEach(() => {
  stage = new Stage();
  saga = sagaOf(stage, inboundJob);
});

const mail = (type: string, data: object) => of('inboundEmail', 'mh_1', { type, data }, { revision: 4 });
const value = { workspaceId: 'ws_spec', mailhookId: 'mh_1', mailId: 'mail_1', position: 4 };
const published = ['publishes', 'inbound-mail', { id: 'mail_1/4', key: 'ws_spec/mh_1', value }] as const;

describe('received mail', () => {
  it('is handed to the workers, in the order of its mailhook', () =>
    givenSaga(saga, stage)
      .gets(mail('InboundEmailReceived', { mailId: 'mail_1' }))
      .does(published));

  it('is handed to them again if it is to be run again', () =>
    givenSaga(saga, stage)
      .gets(mail('InboundEmailStarted', { mailId: 'mail_1', rerun: true }))
      .does(published));

  it('is not handed to them for its first start, which its own message causes', () =>
    givenSaga(saga, stage)
      .gets(mail('InboundEmailStarted', { mailId: 'mail_1', rerun: false }))
      .doesNothing());
});
