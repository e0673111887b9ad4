import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import type { ApprovedChanges } from '../../areas/approvals/pending-change/approved-changes.api.js';
import { pendingChanges } from '../../areas/approvals/pending-change/pending-change.record.js';
import { ApprovedChangesAreApplied } from './approved-changes-are-applied.saga.js';

let stage: Stage;
let saga: ApprovedChangesAreApplied;
beforeEach(() => {
  stage = new Stage();
  saga = new ApprovedChangesAreApplied(stage.runner, stage.noting<ApprovedChanges>({ apply: 'applies' }));
});

const approved = of('pendingChange', 'pc_1', { type: 'PendingChangeApproved', data: {} });

describe('an approved change', () => {
  it('is applied', () => {
    stage.holds(pendingChanges, 'pc_1', { id: 'pc_1', status: 'approved' });
    return givenSaga(saga, stage)
      .gets(approved)
      .does(['applies', { id: 'pc_1', status: 'approved' }]);
  });

  it.each(['applied', 'failed', 'pending'])('is not applied if it is already %s', (status) => {
    stage.holds(pendingChanges, 'pc_1', { id: 'pc_1', status });
    return givenSaga(saga, stage).gets(approved).doesNothing();
  });

  it('is not applied if it is deleted', () => givenSaga(saga, stage).gets(approved).doesNothing());
});
