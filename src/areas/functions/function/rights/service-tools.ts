import { isTakingTool, mayUse, serviceTool } from '../../../../engine/authorisation/service-tool.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { Caller } from '../../../../kernel/callers/caller.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../functions.refusals.js';
import type { GrantsInput } from '../function.js';
import type { FunctionDocument, FunctionEvent } from '../function.record.js';

/** The caller that adds tools to a function's list. */
export interface Lister {
  readonly caller: Caller | undefined;
  /** The tools of the calling function, which can add only these. Undefined if the caller is not a function. */
  readonly ownTools: readonly string[] | undefined;
}

export async function listerOf({ actor, caller, workspaceId }: OperationContext, reads: Reads): Promise<Lister> {
  if (actor.kind !== 'function') return { caller, ownTools: undefined };
  const fn = await reads.get<FunctionDocument>(workspaceId, 'functions', actor.id);
  return { caller, ownTools: fn?.grants.serviceTools ?? [] };
}

/**
 * Checks tools that are added to a function's list. They must exist, and the caller must be allowed to use them
 * (Automations API, Rules 5). Tools that are already listed may stay.
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

/**
 * Whether the event is a save that changes the live code of a function that may call tools that delete. Such a save is
 * treated like a deletion, because other callers start this function, and the new code would delete with the rights of
 * people who did not write it.
 */
export function hasOthersTakingCode(event: FunctionEvent, before: FunctionDocument): boolean {
  if (event.type !== 'FunctionDefinitionChanged' || event.data.code === undefined) return false;
  return (event.data.grants ?? before.grants).serviceTools.some(isTakingTool);
}
