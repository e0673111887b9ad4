import type { WantedName } from '../../../engine/command-runner.js';
import { refuseInput } from '../../../engine/operation/validation.js';
import { uniqueName } from '../../../engine/reservation.js';
import { isPersons } from '../../../kernel/caller.js';
import type { Actor } from '../../../kernel/event.js';
import { isIdForm } from '../../../kernel/id-form.js';
import { refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { accountFunctions } from './function.record.js';

/** A function is found by its id or its name, so a name must never pass for an id. @throws Refusal invalid-input */
export function checkName(name: string): void {
  if (isIdForm(name)) {
    refuseInput([{ path: 'name', message: 'must not have the form of an id, because functions are found by both' }]);
  }
}

/** Function names are unique in a workspace (settled question Q-A05). */
export const functionName = uniqueName('functionName', accountFunctions, ({ name }) => name);

/**
 * The name for this function. Code goes on calling a name that its function gave up, so only a person gives such a name
 * to another function: whoever else could would say what that code runs.
 */
export function wantedName(
  name: string,
  functionId: string,
  asking: { workspaceId: string; actor: Actor },
): WantedName {
  const holder = streamOf(accountFunctions.category, asking.workspaceId, functionId);
  const wanted = { reservation: functionName(name, holder), taken: () => refuse('function-name-taken', { name }) };
  if (isPersons(asking.actor.kind)) return wanted;
  return { ...wanted, usedBefore: () => refuse('function-name-used-before', { name }) };
}
