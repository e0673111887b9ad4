import type { Call } from '../../../engine/operation/call.js';
import type { WorkspaceRecord } from './workspace.operations.js';
import { type Workspace, workspaces } from './workspace.record.js';

/** The workspace as whoever asks sees it. */
export function workspaceRecord(workspace: Workspace, aiCredits: number, { caller }: Call): WorkspaceRecord {
  if (caller === undefined) return workspaces.missing();
  const { id, name, handle, plan } = workspace;
  const { kind, role, readOnly, neverDeletes } = caller;
  const permissions = [...caller.permissions].sort();
  const me = { kind, id: caller.id, name: caller.name, role, readOnly, neverDeletes, permissions };
  return { id, name, handle, plan, aiCredits, me };
}
