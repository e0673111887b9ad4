import type { DeletedOwner } from '../../engine/ownership/dependents.js';

type GoneReason = 'function-deleted' | 'target-gone';

/** Why a trigger ended with its target, for its event. */
export const goneReason = ({ category }: DeletedOwner): GoneReason =>
  category === 'function' || category === 'siteFunction' ? 'function-deleted' : 'target-gone';
