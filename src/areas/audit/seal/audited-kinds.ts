import { auditProjection } from '../../../../projections/audit/audit.projection.js';

/**
 * The stream categories whose events are in the chain: those that the audit shows. Journals of runs and of key use are
 * pruned, so nothing could be said of them. Asked for when it is needed: by then every kind of record has been declared.
 */
export function auditedKinds(): readonly string[] {
  const { reads } = auditProjection;
  return 'categories' in reads ? [...reads.categories].sort() : [];
}
