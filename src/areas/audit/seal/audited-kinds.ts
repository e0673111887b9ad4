import { auditedCategories } from '../reading/audit-reading.record.js';

/**
 * Journals of runs and of the use of keys are not sealed, because retention removes their entries. Call this only after
 * all kinds of records have been declared.
 */
export const auditedKinds = (): readonly string[] => [...auditedCategories()].sort();
