import type { Suppression, SuppressionEvent, SuppressionFacts } from './suppression.record.js';

/** A second suppression changes nothing: the first reason stays. */
export const addSuppression = (
  before: Suppression | undefined,
  facts: SuppressionFacts,
): readonly SuppressionEvent[] => (before === undefined ? [{ type: 'SuppressionAdded', data: facts }] : []);

export const removeSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionRemoved', data: { projectId } },
];

/** With its site. */
export const endSuppression = ({ projectId }: Suppression): readonly SuppressionEvent[] => [
  { type: 'SuppressionEnded', data: { projectId } },
];
