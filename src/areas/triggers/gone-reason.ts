import type { DeletedOwner } from '../../engine/ownership/dependents.js';

type GoneReason = 'function-deleted' | 'target-gone';

/** Returns the reason that is recorded when a trigger is deleted because its target was deleted. */
export const goneReason = ({ category }: DeletedOwner): GoneReason =>
  category === 'function' || category === 'siteFunction' ? 'function-deleted' : 'target-gone';
