import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { AskedCalls } from '../areas/approvals/pending-change/asked-calls.api.js';
import { DecidedCallsAreDestroyed } from './decided-calls-are-destroyed.saga.js';

describe('the input of a call that waited for a person', () => {
  it('is destroyed once its card is decided, replaced or expired', () => {
    const stage = new Stage();
    const saga = new DecidedCallsAreDestroyed(stage.noting<AskedCalls>({ forget: 'destroys the input' }));
    const decided = (id: string, type: string) => of('pendingChange', id, { type, data: {} });
    return givenSaga(saga, stage)
      .gets(decided('change_1', 'PendingChangeApplied'), decided('change_2', 'PendingChangeRejected'))
      .does(
        ['destroys the input', { workspaceId: 'ws_spec', id: 'change_1' }],
        ['destroys the input', { workspaceId: 'ws_spec', id: 'change_2' }],
      );
  });
});
