import { auditedCategories } from '../reading/audit-reading.record.js';

/**
 * The stream categories in the chain, the same as in the audit. Journals of runs and of key use are pruned, so they
 * cannot be verified. Call this only after every kind of record has been declared.
 */
export const auditedKinds = (): readonly string[] => [...auditedCategories()].sort();
