import { findOperation } from '../../../engine/operation/operation.js';
import type { AiPermissions } from './project.record.js';

/** The key that would allow an agent this operation where the set does not; undefined when it may. An empty set allows all. */
export function aiPermissionFor(operation: string, permissions: AiPermissions): string | undefined {
  const group = findOperation(operation)?.group;
  const tool = operation.slice(operation.indexOf('/') + 1);
  // Operations of other areas that name a project (mailhooks, mailboxes) are no tools of the site.
  if (group === undefined || Object.keys(permissions).length === 0) return undefined;
  const allowed = permissions[`${group}:*`] === true || permissions[`${group}:${tool}`] === true;
  return allowed ? undefined : `${group}:${tool}`;
}
