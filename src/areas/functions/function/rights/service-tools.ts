import { isTakingTool, mayUse, serviceTool } from '../../../../engine/authorisation/service-tool.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { Caller } from '../../../../kernel/callers/caller.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../functions.refusals.js';
import type { GrantsInput } from '../function.js';
import type { FunctionDocument, FunctionEvent } from '../function.record.js';

/** The caller that lists tools. */
export interface Lister {
  readonly caller: Caller | undefined;
  /** The tools of a calling function, which may pass on only these. */
  readonly ownTools: readonly string[] | undefined;
}

export async function listerOf({ actor, caller, workspaceId }: OperationContext, reads: Reads): Promise<Lister> {
  if (actor.kind !== 'function') return { caller, ownTools: undefined };
  const fn = await reads.get<FunctionDocument>(workspaceId, 'functions', actor.id);
  return { caller, ownTools: fn?.grants.serviceTools ?? [] };
}

/**
 * A function's list may gain only tools that exist and that the caller may use (Automations API, Rules 5). Tools
 * already listed may remain.
 * @throws Refusal
 */
export function checkServiceTools(
  grants: GrantsInput | undefined,
  held: readonly string[],
  { caller, ownTools }: Lister,
): void {
  for (const [at, tool] of (grants?.serviceTools ?? []).entries()) {
    if (held.includes(tool)) continue;
    const operation = serviceTool(tool);
    if (operation === undefined) {
      refuseInput([{ path: `grants.serviceTools[${at}]`, message: `names no tool that a function can use: ${tool}` }]);
    }
    const isOwn = ownTools?.includes(tool) ?? true;
    if (!isOwn || (caller !== undefined && !mayUse(operation, caller))) refuse('tool-not-yours', { tool });
  }
}

/**
 * Whether the event makes code live that someone else wrote, in a function with tools that delete. That code would
 * delete on behalf of those who run the function.
 */
export function hasOthersTakingCode(event: FunctionEvent, before: FunctionDocument): boolean {
  if (event.type !== 'FunctionDefinitionChanged' || event.data.code === undefined) return false;
  return (event.data.grants ?? before.grants).serviceTools.some(isTakingTool);
}
