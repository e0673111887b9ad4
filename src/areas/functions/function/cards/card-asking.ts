import type { AskingCall, CardRequest } from '../../../../engine/approvals/gated-kind.js';
import { changedAlike, type ListedSecret } from '../../../../secret-text/secret-list.js';
import { withoutIds } from '../../data-function/bound-names.api.js';
import { type AccessRules, type FunctionDocument, versionOf } from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';
import type { FunctionChange } from '../save-input.js';

/** Returns the call with which the same card can be requested again. A card is a change that waits for approval. */
export function askingOf(fn: FunctionDocument, card: CardRequest): AskingCall {
  const { input } = card;
  const kind = card.kind as FunctionCardKind;
  switch (kind) {
    case 'function-capabilities':
      return call(fn, 'setFunctionCapabilities', { add: input['powers'], seenVersion: versionOf(fn) });
    case 'function-identity-mode':
      return call(fn, 'setFunctionIdentityMode', { mode: input['mode'], seenVersion: versionOf(fn) });
    case 'function-secrets':
      return call(fn, 'setFunctionSecrets', { secrets: secretsOf(fn, card), keepUntilApproved: true });
    case 'function-access-rules': {
      const accessRules = sendable(input['accessRules'] as unknown as AccessRules);
      return { operation: 'site/setBackendFunctionAccessRules', input: { functionId: fn.id, accessRules } };
    }
    case 'function-publish':
      return call(fn, ofOwner(fn, 'publishFunction', 'publishBackendFunction'), { versionId: input['versionId'] });
    case 'function-roll-back':
      return call(fn, ofOwner(fn, 'rollBackFunction', 'rollBackBackendFunction'), { versionId: input['versionId'] });
    case 'function-save':
      return savingOf(fn, input as FunctionChange);
  }
}

function savingOf(
  fn: FunctionDocument,
  { details, definition = {}, isActive, powers = [] }: FunctionChange,
): AskingCall {
  const { accessRules, definition: ofData, grants, ...parts } = definition;
  const rules = accessRules === undefined ? {} : { accessRules: sendable(accessRules) };
  if (ofData !== undefined || powers.length > 0) {
    const service = powers.includes('service') ? { runAs: 'service', seenVersion: versionOf(fn) } : {};
    const data = ofData === undefined ? {} : { definition: withoutIds(ofData) };
    return call(fn, 'updateDataFunction', { ...details, ...rules, ...data, ...service });
  }
  const granted = grants && (fn.projectId === undefined ? { grants } : { connections: grants.connections });
  const active = isActive === undefined ? {} : { isActive };
  const seen = { seenUpdatedAt: fn.updatedAt };
  const sent = { ...details, ...parts, ...rules, ...granted, ...active, ...seen };
  return call(fn, ofOwner(fn, 'updateFunction', 'updateBackendFunction'), sent);
}

/**
 * Applies the card's changes to the present list of secrets, so that other changes made since the card was requested
 * remain.
 */
function secretsOf({ secrets }: FunctionDocument, { changes }: CardRequest): readonly ListedSecret[] {
  const [{ from = [], to = [] } = {}] = changes;
  return changedAlike(secrets, from as unknown as readonly ListedSecret[], to as unknown as readonly ListedSecret[]);
}

const sendable = ({ runBy, ...rules }: AccessRules) => ({ ...rules, ...(runBy === null ? {} : { runBy }) });

const ofOwner = ({ projectId }: FunctionDocument, workspaces: string, sites: string) =>
  projectId === undefined ? workspaces : sites;

function call({ id, projectId }: FunctionDocument, operation: string, input: object): AskingCall {
  return projectId === undefined
    ? { operation: `automations/${operation}`, input: { id, ...input } }
    : { operation: `site/${operation}`, input: { projectId, functionId: id, ...input } };
}
