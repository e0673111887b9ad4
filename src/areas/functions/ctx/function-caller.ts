import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { type Caller, permissionsOfRole } from '../../../kernel/callers/caller.js';
import type { CtxCall } from './ctx-member.js';
import type { RunScope } from './run-scope.js';

/** The call of an operation by running code, as the function and with an Editor's rights. */
export function functionCall(
  { scope, newCall }: CtxCall,
  operation: string,
): OperationContext & { readonly caller: Caller } {
  const { request, function: fn } = scope;
  const starter = { kind: 'function', id: fn.id, name: fn.name, behind: request.starter } as const;
  return { ...newCall(operation), caller: callerOf(request, fn), starter };
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
    // Passed on: what a non-deleting key starts must not delete either.
    neverDeletes,
  };
}
