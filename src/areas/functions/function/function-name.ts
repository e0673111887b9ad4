import { uniqueName } from '../../../engine/commands/reservation.js';
import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import { reservesOnRestore } from '../../../engine/commands/restored-names.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Actor } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { isIdForm } from '../../../kernel/text/id-form.js';
import { refuse } from '../functions.refusals.js';
import { functionKinds, functionsOf } from './function-kinds.api.js';
import { ownerRulesOf } from './function-owner.api.js';

/**
 * Functions are found by id or name, so a name must not look like an id.
 * @throws Refusal invalid-input
 */
export function checkFunctionName(name: string): void {
  if (isIdForm(name)) {
    refuseInput([{ path: 'name', message: 'must not have the form of an id, because functions are found by both' }]);
  }
}

/** Names are unique within a workspace and within each of its sites (settled question Q-A05). */
export const nameIn = (owner: Owned, name: string): string =>
  owner.projectId === undefined ? name : `${owner.projectId}/${name}`;

/**
 * Code can still call a former name of a function, so only a person may give that name to another function. Otherwise
 * an agent or automation could choose what that code runs.
 */
export function functionNameRequest(
  name: string,
  functionId: string,
  asking: { workspaceId: string; actor: Actor },
  owner: Owned = {},
): RequestedName {
  const functions = functionsOf(owner);
  const holder = streamOf(functions.category, asking.workspaceId, functionId);
  const reserved = uniqueName(ownerRulesOf(owner).names, functions, (fn) => nameIn(fn, fn.name));
  const named = {
    reservation: reserved(nameIn(owner, name), holder),
    taken: () => refuse('function-name-taken', { name }),
  };
  if (isPersons(asking.actor.kind)) return named;
  return { ...named, usedBefore: () => refuse('function-name-used-before', { name }) };
}

for (const kind of Object.values(functionKinds)) {
  reservesOnRestore(kind, (fn, call) => [functionNameRequest(fn.name, fn.id, call, fn)]);
}
