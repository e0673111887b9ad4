import { auditedCategories } from '../reading/audit-reading.record.js';

/**
 * The stream categories in the chain: those that the audit shows. Journals of runs and of key use are pruned, so they
 * cannot be verified. Call this late: every kind of record must have been declared.
 */
export const auditedKinds = (): readonly string[] => [...auditedCategories()].sort();
