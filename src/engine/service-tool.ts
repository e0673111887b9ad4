import type { Caller } from '../kernel/caller.js';
import { authorise } from './authorisation.js';
import { allOperations, type RegisteredOperation } from './operation/operation.js';

/**
 * Never run for a function, whatever its grants say (Automations API, Rules 5): what concerns sign-ins, agents, approvals
 * and secrets is a person's, and functions are started with `ctx.functions.run`.
 */
const never = [
  /^approvals\//,
  /^workspace\/(?!getWorkspace$|getSettings$|listMembers$)/,
  /(EnvVars?|Secrets)$/,
  /\/(invoke(Backend)?Function|replayRun)$/,
  /\/(aiAuthor|setFunctionCapabilities|setFunctionIdentityMode)$/,
];

/** `<area>_<operation>` (settled question Q-A09). */
export const toolNameOf = ({ name }: Pick<RegisteredOperation, 'name'>): string => name.replace('/', '_');

/** The operation behind a tool's name; undefined when there is none that a function may ever run. */
export function serviceTool(tool: string): RegisteredOperation | undefined {
  const operation = allOperations().find((one) => toolNameOf(one) === tool);
  if (operation === undefined || never.some((pattern) => pattern.test(operation.name))) return undefined;
  return operation.callers && !operation.callers.includes('automation') ? undefined : operation;
}

/** Whether this caller could use the tool: only such can be put on a function's list. */
export function mayUse(operation: RegisteredOperation, caller: Caller): boolean {
  try {
    authorise(operation, caller);
    return true;
  } catch {
    return false;
  }
}
