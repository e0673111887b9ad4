import type { DeletedOwner } from '../../engine/ownership/dependents.js';

type GoneReason = 'function-deleted' | 'target-gone';

/** Why a trigger ended with its target, as its event records it. */
export const goneReason = ({ category }: DeletedOwner): GoneReason =>
  category === 'function' || category === 'siteFunction' ? 'function-deleted' : 'target-gone';
