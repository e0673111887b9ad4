import type { Call } from '../../../engine/operation/call.js';
import type { Calls } from '../../../engine/operation/calls.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import { type Caller, permissionsOfRole } from '../../../kernel/callers/caller.js';
import type { RunScope } from './capability-table.api.js';

/** The call of an operation that running code makes: with an Editor's rights and no more, as the function. */
export function functionCall(
  calls: Calls,
  { request, function: fn }: RunScope,
  operation: string,
): Call & { readonly caller: Caller } {
  const actor = functionActor(fn, request.actor);
  const starter = { kind: 'function', id: fn.id, name: fn.name, behind: request.starter } as const;
  return { ...calls.within(request, actor, operation), caller: callerOf(request, fn), starter };
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
    // A run started by a key that never deletes may not delete anything either.
    neverDeletes,
  };
}
