import { mayUse, serviceTool } from '../../../../engine/authorisation/service-tool.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { Caller } from '../../../../kernel/callers/caller.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../functions.refusals.js';
import type { GrantsInput } from '../function.js';
import type { FunctionDocument } from '../function.record.js';

export interface Lister {
  readonly caller: Caller | undefined;
  readonly ownTools: readonly string[] | undefined;
}

export async function listerOf({ actor, caller, workspaceId }: OperationContext, reads: Reads): Promise<Lister> {
  if (actor.kind !== 'function') return { caller, ownTools: undefined };
  const fn = await reads.get<FunctionDocument>(workspaceId, 'functions', actor.id);
  return { caller, ownTools: fn?.grants.serviceTools ?? [] };
}

/**
 * Added tools must exist, and the caller must be allowed to use them (Automations API, Rules 5). Tools that the
 * function already has may stay.
 * @throws Refusal
 */
export function checkServiceTools(
  grants: GrantsInput | undefined,
  listed: readonly string[],
  { caller, ownTools }: Lister,
): void {
  for (const [at, tool] of (grants?.serviceTools ?? []).entries()) {
    if (listed.includes(tool)) continue;
    const operation = serviceTool(tool);
    if (operation === undefined) {
      refuseInput([
        { path: `grants.serviceTools[${at}]`, message: `contains a tool that no function can use: ${tool}` },
      ]);
    }
    const isOwn = ownTools?.includes(tool) ?? true;
    if (!isOwn || (caller !== undefined && !mayUse(operation, caller))) refuse('tool-not-yours', { tool });
  }
}
