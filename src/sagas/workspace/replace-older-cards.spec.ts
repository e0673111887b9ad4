import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { pendingChanges } from '../../areas/approvals/pending-change/pending-change.record.js';
import type { ProposedChanges } from '../../areas/approvals/pending-change/proposed-changes.api.js';
import { ReplaceOlderCards } from './replace-older-cards.saga.js';

const proposed = of('pendingChange', 'pc_1', { type: 'PendingChangeProposed', data: {} });

describe('a proposed change', () => {
  it('replaces the older ones', () => {
    const stage = new Stage().holds(pendingChanges, 'pc_1', { id: 'pc_1' });
    const saga = new ReplaceOlderCards(stage.runner, stage.noting<ProposedChanges>({ replaceOlder: 'replaces' }));
    return givenSaga(saga, stage)
      .gets(proposed)
      .does(['replaces', { id: 'pc_1' }]);
  });

  it('that is deleted replaces none', () => {
    const stage = new Stage();
    const saga = new ReplaceOlderCards(stage.runner, stage.noting<ProposedChanges>({ replaceOlder: 'replaces' }));
    return givenSaga(saga, stage).gets(proposed).doesNothing();
  });
});
