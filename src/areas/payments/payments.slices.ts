import { type Slice, slice } from '../../engine/slice.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { deleteEntitlement } from './entitlement/entitlement.js';
import { entitlements } from './entitlement/entitlement.record.js';
import { Entitlements } from './entitlement/entitlements.api.js';

/** What sites sell, and what their users hold because of it. */
export const paymentsSlices: readonly Slice[] = [
  slice(entitlements, [Entitlements, projectContent(entitlements, deleteEntitlement)]),
];
