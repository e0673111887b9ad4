import { auditProjection } from '../../../../projections/audit/audit.projection.js';

/**
 * The stream categories in the chain: those that the audit shows. Journals of runs and of key use are pruned, so they
 * cannot be verified. Call this late: every kind of record must have been declared.
 */
export function auditedKinds(): readonly string[] {
  const { reads } = auditProjection;
  return 'categories' in reads ? [...reads.categories].sort() : [];
}
