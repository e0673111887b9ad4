import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { type Caller, permissionsOfRole } from '../../../kernel/callers/caller.js';
import type { CtxCall } from './ctx-member.js';
import type { RunScope } from './run-scope.js';

/** The caller is the function, with an Editor's rights. */
export function functionCall(
  { scope, newCall }: CtxCall,
  operation: string,
): OperationContext & { readonly caller: Caller } {
  const { request, function: fn } = scope;
  const starter = { kind: 'function', id: fn.id, name: fn.name, behind: request.starter } as const;
  const { eventDepth = 0 } = request;
  return { ...newCall(operation), caller: callerOf(request, fn), starter, eventDepth };
}

/**
 * The call reaches only the function's own site or, for a workspace function, the sites and bases that it was granted
 * (Automations API, Rules 5).
 */
export function toolCall(run: CtxCall, operation: string): OperationContext & { readonly caller: Caller } {
  const { projectId, grants } = run.scope.function;
  const call = functionCall(run, operation);
  const sites = projectId === undefined ? grants.bases : [{ projectId, access: 'write' as const }];
  return { ...call, caller: { ...call.caller, reach: { sites, bases: grants.databaseIds } } };
}

function callerOf(
  { workspaceId, neverDeletes = false }: RunScope['request'],
  { id, name }: RunScope['function'],
): Caller {
  return {
    kind: 'automation',
    id,
    name,
    workspaceId,
    keyId: '',
    role: 'editor',
    permissions: new Set(permissionsOfRole.editor),
    readOnly: false,
    // A run that is not allowed to delete must not delete through its calls either.
    neverDeletes,
  };
}
