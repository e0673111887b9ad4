import { mayUse, serviceTool } from '../../../../engine/authorisation/service-tool.js';
import type { Caller } from '../../../../kernel/callers/caller.js';
import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import { refuse } from '../../functions.refusals.js';
import { type GrantsInput, grantsBeyond, wholeGrants } from '../function.js';
import type { Grants } from '../function.record.js';
import type { Changer } from './changer.js';

interface Giver extends Pick<Changer, 'own'> {
  readonly caller: Caller | undefined;
}

/**
 * Added tools must exist, and the caller must be allowed to use them. A running function can add only what its own
 * grants contain, because its code could otherwise use more by way of another function (Automations API, Rules 5). What
 * the function already has may stay.
 * @throws Refusal invalid-input, tool-not-yours, grant-not-yours
 */
export function checkGivenGrants(sent: GrantsInput | undefined, present: Grants, { caller, own }: Giver): void {
  if (sent === undefined) return;
  for (const [at, tool] of (sent.serviceTools ?? []).entries()) {
    if (present.serviceTools.includes(tool)) continue;
    const operation = serviceTool(tool);
    if (operation === undefined) {
      refuseInput([
        { path: `grants.serviceTools[${at}]`, message: `contains a tool that no function can use: ${tool}` },
      ]);
    }
    const isOwn = own?.serviceTools.includes(tool) ?? true;
    if (!isOwn || (caller !== undefined && !mayUse(operation, caller))) refuse('tool-not-yours', { tool });
  }
  if (own === undefined) return;
  const [what] = grantsBeyond(wholeGrants(sent), together(own, present));
  if (what !== undefined) refuse('grant-not-yours', { what });
}

const together = (one: Grants, other: Grants): Grants => ({
  bases: [...one.bases, ...other.bases],
  databaseIds: [...one.databaseIds, ...other.databaseIds],
  connections: [...one.connections, ...other.connections],
  serviceTools: [...one.serviceTools, ...other.serviceTools],
});
