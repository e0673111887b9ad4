import type { Suppression, SuppressionEvent, SuppressionFacts } from './suppression.record.js';

/** Suppresses an email. If it is suppressed already, nothing changes, and the first reason remains. */
export const addSuppression = (
  before: Suppression | undefined,
  facts: SuppressionFacts,
): readonly SuppressionEvent[] => (before === undefined ? [{ type: 'SuppressionAdded', data: facts }] : []);

export const removeSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionRemoved', data: { projectId } },
];

/** Ends the suppression when its site is deleted. */
export const endSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionEnded', data: { projectId } },
];
