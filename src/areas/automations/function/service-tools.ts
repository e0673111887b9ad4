import { refuseInput } from '../../../engine/operation/validation.js';
import { mayUse, serviceTool } from '../../../engine/service-tool.js';
import type { Caller } from '../../../kernel/caller.js';
import { refuse } from '../../../kernel/refusal.js';
import type { GrantsInput } from './function.js';

/**
 * Only tools that there are, and that the caller may use, can be put on a function's list (Automations API, Rules 5).
 * What stands on it already may stay.
 * @throws Refusal
 */
export function checkServiceTools(
  grants: GrantsInput | undefined,
  held: readonly string[],
  caller: Caller | undefined,
): void {
  for (const [at, tool] of (grants?.serviceTools ?? []).entries()) {
    if (held.includes(tool)) continue;
    const operation = serviceTool(tool);
    if (operation === undefined) {
      refuseInput([{ path: `grants.serviceTools[${at}]`, message: `names no tool that a function can use: ${tool}` }]);
    }
    if (caller !== undefined && !mayUse(operation, caller)) refuse('tool-not-yours', { tool });
  }
}
