import type { Json } from '../../../kernel/json/json.js';
import { CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { RunScope } from './capability-table.api.js';

/**
 * A site that a function of the workspace reaches (Automations API, Grants): `read` lets code read, and `write` both. The
 * id comes from the sandbox and not from the author's code alone. @throws CapabilityRefused
 */
export function grantedSite(
  { function: { grants, name } }: RunScope,
  projectId: Json | undefined,
): { readonly projectId: string; readonly readsOnly: boolean } {
  const grant = grants.bases.find((one) => one.projectId === projectId);
  if (grant !== undefined) return { projectId: grant.projectId, readsOnly: grant.access === 'read' };
  const message = `The function '${name}' may not reach this site: list it in grants.bases.`;
  throw new CapabilityRefused(message, 'site-not-granted', 403);
}

export const siteReadOnly = (site: string) =>
  new CapabilityRefused(`This function may only read ${site}.`, 'site-read-only', 403);
