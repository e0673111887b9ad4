import type { ApprovedChange } from '../../../../engine/approvals/gated-kind.js';
import type { ReadText } from '../../../../kernel/text/text.js';
import { type SecretHosts, stillWithin } from '../../../../secret-text/secret-list.js';
import type {
  AccessRules,
  FunctionDefinition,
  FunctionDocument,
  FunctionEvent,
  IdentityMode,
  Power,
} from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';
import { liveSave } from '../function-save.js';
import type { FunctionChange } from '../save-input.js';

interface ApplyContext {
  readonly versionId: string;
  readonly known: SecretHosts | undefined;
  readonly read: ReadText;
}

/**
 * Applies exactly the input that the person approved.
 * @throws Refusal listed-secret-moved if secrets have changed so that the approved list is no longer valid
 */
export function applyChange(
  fn: FunctionDocument,
  change: ApprovedChange,
  context: ApplyContext,
): readonly FunctionEvent[] {
  const { input } = change;
  const kind = change.kind as FunctionCardKind;
  switch (kind) {
    case 'function-capabilities':
      return [{ type: 'FunctionPowersGiven', data: { powers: input['powers'] as unknown as readonly Power[] } }];
    case 'function-identity-mode':
      return [{ type: 'FunctionIdentityModeSet', data: { mode: input['mode'] as IdentityMode } }];
    case 'function-secrets':
      return [
        { type: 'FunctionSecretsGiven', data: { secrets: stillWithin(input['secrets'], context.known ?? new Map()) } },
      ];
    case 'function-publish':
      return [{ type: 'FunctionPublished', data: { versionId: String(input['versionId']) } }];
    case 'function-roll-back':
      return [
        {
          type: 'FunctionRolledBack',
          data: { ...(input['definition'] as unknown as FunctionDefinition), versionId: String(input['versionId']) },
        },
      ];
    case 'function-access-rules':
      return [
        { type: 'FunctionAccessRulesSet', data: { accessRules: input['accessRules'] as unknown as AccessRules } },
      ];
    case 'function-save':
      return savedWithPowers(fn, input as FunctionChange, context);
  }
}

function savedWithPowers(
  fn: FunctionDocument,
  { powers = [], ...change }: FunctionChange,
  { versionId, read }: ApplyContext,
): readonly FunctionEvent[] {
  const given: readonly FunctionEvent[] =
    powers.length === 0 ? [] : [{ type: 'FunctionPowersGiven', data: { powers } }];
  return [...liveSave(fn, change, versionId, read), ...given];
}
