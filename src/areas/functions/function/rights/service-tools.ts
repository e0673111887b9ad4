import { isTakingTool, mayUse, serviceTool } from '../../../../engine/authorisation/service-tool.js';
import type { Call } from '../../../../engine/operation/call.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { Caller } from '../../../../kernel/callers/caller.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../functions.refusals.js';
import type { GrantsInput } from '../function.js';
import type { AccountFunction, FunctionEvent } from '../function.record.js';

/** The caller that puts tools on a list. */
export interface Lister {
  readonly caller: Caller | undefined;
  /** For a calling function: its own tools, which are the only ones it may pass on. */
  readonly ownTools: readonly string[] | undefined;
}

export async function listerOf({ actor, caller, workspaceId }: Call, reads: Reads): Promise<Lister> {
  if (actor.kind !== 'function') return { caller, ownTools: undefined };
  const fn = await reads.get<AccountFunction>(workspaceId, 'functions', actor.id);
  return { caller, ownTools: fn?.grants.serviceTools ?? [] };
}

/**
 * A function's list may get only tools that exist and that the caller may use (Automations API, Rules 5). Tools already
 * on the list may stay.
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
 * Whether this event makes code live, written by someone else, in a function with tools that delete. That code would
 * then delete on behalf of others who run the function.
 */
export function hasOthersTakeAway(event: FunctionEvent, before: AccountFunction): boolean {
  if (event.type !== 'FunctionDefinitionChanged' || event.data.code === undefined) return false;
  return (event.data.grants ?? before.grants).serviceTools.some(isTakingTool);
}
