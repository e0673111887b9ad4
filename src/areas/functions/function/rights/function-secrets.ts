import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { type Taking, undoOf } from '../../../../kernel/record/undo.js';
import {
  checkSecretList,
  isSameSecretList,
  lostSecrets,
  remainingAtOnce,
  type SecretHosts,
  type SecretInput,
  secretsBeyond,
  secretsInWords,
} from '../../../../secret-text/secret-list.js';
import type { FunctionDocument, FunctionSecret } from '../function.record.js';
import type { FunctionOutcome } from '../function-changes.js';

/**
 * Names that no secret has are returned as `ignored`.
 * @throws Refusal invalid-input
 */
export function checkedSecrets(
  sent: readonly SecretInput[],
  known: SecretHosts,
): { readonly secrets: readonly FunctionSecret[]; readonly ignored: readonly string[] } {
  const checked = checkSecretList(sent, known);
  return checked.ok ? checked : refuseInput(checked.errors);
}

export interface SecretsInput {
  readonly secrets: readonly SecretInput[];
  readonly keepUntilApproved?: boolean;
}

/**
 * Removals take effect at once, and members can undo them. A new secret, host or key format needs approval.
 * @param removalsWait if true, removals wait together with the additions
 */
export function setSecrets(
  fn: FunctionDocument,
  next: readonly FunctionSecret[],
  {
    removalsWait = false,
    guessable = new Set(),
    ...taking
  }: Taking & { readonly removalsWait?: boolean; readonly guessable?: ReadonlySet<string> },
): FunctionOutcome {
  const left = remainingAtOnce(fn.secrets, next);
  const gone = secretsBeyond(fn.secrets, left).length === 0 ? [] : [taken(fn, left, taking)];
  if (isSameSecretList(left, next)) return { events: gone };
  const lost = removalsWait ? lostSecrets(fn.secrets, next) : [];
  const less = lost.length === 0 ? '' : `, and no longer ${secretsInWords(lost, guessable)}`;
  return {
    events: removalsWait ? [] : gone,
    proposal: {
      kind: 'function-secrets',
      summary: `Let the function '${fn.name}' use ${secretsInWords(secretsBeyond(next, left), guessable)}${less}.`,
      changes: [{ path: 'secrets', from: json(removalsWait ? fn.secrets : left), to: json(next) }],
      // If a secret does not limit its hosts itself, only an Admin may approve the hosts that the function lists for
      // it.
      approver: secretsBeyond(next, left).some(({ opened }) => opened) ? 'admin' : 'editor',
      input: { secrets: json(next) },
    },
  };
}

function taken(fn: FunctionDocument, left: readonly FunctionSecret[], taking: Taking) {
  const names = secretsBeyond(fn.secrets, left).map(({ name }) => name);
  const undo = undoOf(fn, `The function '${fn.name}' lost some or all of its access to ${names.join(', ')}.`, taking);
  return { type: 'FunctionSecretsTaken', data: { secrets: left, undo } } as const;
}

const json = (secrets: readonly FunctionSecret[]) => secrets as unknown as readonly JsonObject[];
