import type { Suppression, SuppressionEvent, SuppressionFacts } from './suppression.record.js';

/** A second suppression changes nothing; the first reason remains. */
export const addSuppression = (
  before: Suppression | undefined,
  facts: SuppressionFacts,
): readonly SuppressionEvent[] => (before === undefined ? [{ type: 'SuppressionAdded', data: facts }] : []);

export const removeSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionRemoved', data: { projectId } },
];

/** Ends the suppression together with its site. */
export const endSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionEnded', data: { projectId } },
];
