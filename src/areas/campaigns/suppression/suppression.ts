import type { Suppression, SuppressionEvent, SuppressionFacts } from './suppression.record.js';

/** If the email is suppressed already, the first reason remains. */
export const addSuppression = (
  before: Suppression | undefined,
  facts: SuppressionFacts,
): readonly SuppressionEvent[] => (before === undefined ? [{ type: 'SuppressionAdded', data: facts }] : []);

export const removeSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionRemoved', data: { projectId } },
];

export const endSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionEnded', data: { projectId } },
];
