import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { addSuppression, endSuppression, removeSuppression } from './suppression.js';
import { type SuppressionEvent, suppressions } from './suppression.record.js';

const facts = {
  projectId: 'proj_1',
  reason: 'bounced',
  email: 'ada@example.org',
  userId: 'user_1',
  campaignId: null,
} as const;
const added: SuppressionEvent = { type: 'SuppressionAdded', data: facts };

describe('a suppressed address', () => {
  it('is recorded once, and the first reason remains', () => {
    given().when(addSuppression, undefined, facts).emits(added);
    given(suppressions, [added])
      .when(addSuppression, { ...facts, reason: 'unsubscribed' })
      .emitsNothing();
  });

  it('is removed, or deleted with its site', () => {
    given(suppressions, [added])
      .when(removeSuppression)
      .emits({ type: 'SuppressionRemoved', data: { projectId: 'proj_1' } });
    given(suppressions, [added])
      .when(endSuppression)
      .emits({ type: 'SuppressionEnded', data: { projectId: 'proj_1' } });
  });
});
