import { type Caller, permissionsOfRole } from '../kernel/caller.js';
import { authorise } from './authorisation.js';
import { allOperations, type RegisteredOperation } from './operation/operation.js';

/**
 * Never run for a function or an agent, whatever lists say (Automations API, Rules 5): what concerns sign-ins, agents,
 * approvals and secrets is a person's, and so is what becomes of what came from outside: whether it is kept, and whether
 * it is run again. Functions are started with `ctx.functions.run` or as tools of their own, and flows by their triggers.
 */
const never = [
  /^agents\//,
  /^approvals\//,
  /^workspace\/(?!getWorkspace$|getSettings$|listMembers$)/,
  /(EnvVars?|Secrets)$/,
  /\/(create|update|delete|test)MailAccount$/,
  /\/(invoke(Backend)?Function|replayRun|rerunInboundEmail)$/,
  /\/set(TriggerReplay|WebhookVerification)$/,
  /\/aiAuthor$/,
  /^flows\/runFlow$/,
];

/** Gives functions powers. An agent may ask for it, and a card comes of it; code asks nobody. */
const onlyAskedFor = /\/(setFunctionCapabilities|setFunctionIdentityMode)$/;

/** `<area>_<operation>` (settled question Q-A09). */
export const toolNameOf = ({ name }: Pick<RegisteredOperation, 'name'>): string => name.replace('/', '_');

/** The operation behind a tool's name; undefined when there is none that a function, or an agent, may ever run. */
export function serviceTool(tool: string, by: 'automation' | 'agent' = 'automation'): RegisteredOperation | undefined {
  const operation = allOperations().find((one) => toolNameOf(one) === tool);
  if (operation === undefined || never.some((pattern) => pattern.test(operation.name))) return undefined;
  if (by === 'automation' && onlyAskedFor.test(operation.name)) return undefined;
  // Functions and agents act with an Editor's rights at most: what needs more could be listed, and would always fail.
  if (!permissionsOfRole.editor.includes(operation.permission)) return undefined;
  return operation.callers && !operation.callers.includes(by) ? undefined : operation;
}

/** Whether the tool of this name always takes something away. */
export function isTakingTool(tool: string): boolean {
  return serviceTool(tool, 'agent')?.takesAway === true;
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
