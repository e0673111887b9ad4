import type { DeletedOwner } from '../../engine/ownership/dependents.js';

type GoneReason = 'function-deleted' | 'target-gone';

export const goneReason = ({ category }: DeletedOwner): GoneReason =>
  category === 'function' || category === 'siteFunction' ? 'function-deleted' : 'target-gone';
