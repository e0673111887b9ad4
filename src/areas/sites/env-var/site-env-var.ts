import { isDeepStrictEqual } from 'node:util';
import { type Caller, isPersons } from '../../../kernel/callers/caller.js';
import { checkCondition, type Known, nothingKnown } from '../../../kernel/condition/check-condition.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { isPaymentVariable } from '../../../secret-text/granted-secret.js';
import { type CheckedHostPattern, checkHostPattern, hostsBeyond } from '../../../secret-text/host-pattern.js';
import { checkValue, mustNotBeSetting } from '../../secrets/env-var/checked-value.api.js';
import { refuse } from '../sites.refusals.js';
import type { SiteEnvVar, SiteEnvVarEvent } from './site-env-var.record.js';

export interface SiteEnvVarInput {
  readonly value?: string;
  readonly description?: string;
  readonly isSecret?: boolean;
  readonly allowedHosts?: readonly string[];
  readonly useRules?: readonly object[] | null;
}

type Named = { readonly projectId: string; readonly name: string; readonly installScopeId?: string };

export type NewSiteEnvVar = SiteEnvVarInput & Named & { readonly value: string };

/** `guessable` means short or simple enough to be found by trying. */
export interface VaultValue {
  readonly valueId: string;
  readonly guessable: boolean;
}

export function checkSiteEnvVar<Input extends SiteEnvVarInput>(input: Input): Input {
  return checkValue(input, checkBareHost);
}

export function mustBeOfNoPlugin({ installScopeId }: Pick<Named, 'installScopeId'>): void {
  if (installScopeId === undefined) return;
  const message = 'must be the listingId of an installed plugin, and plugins cannot be installed yet; omit it';
  refuseInput([{ path: 'installScopeId', message }]);
}

function checkBareHost(text: string): CheckedHostPattern {
  const checked = checkHostPattern(text);
  const hasPort = /:\d+$/.test(text);
  return checked.ok && hasPort ? { ok: false, wrong: 'must be a host without a port' } : checked;
}

/** Calls of the service itself have no caller and may make every change. */
export function checkKeeper(
  caller: Pick<Caller, 'kind' | 'role' | 'permissions'> | undefined,
  { name, allowedHosts: before }: Pick<SiteEnvVar, 'name' | 'allowedHosts'>,
  { allowedHosts: after = before }: SiteEnvVarInput = {},
): void {
  if (caller === undefined) return;
  const isPerson = isPersons(caller.kind);
  if (isPaymentVariable(name) && !(isPerson && caller.permissions.has('site.money'))) {
    refuse('payment-variable-by-admin', { name });
  }
  const isAdmin = caller.role === 'owner' || caller.role === 'admin';
  // The secret can be sent to an allowed host and read there, so only an owner or admin may add hosts.
  if (hostsBeyond(after, before).length > 0 && !(isPerson && isAdmin)) refuse('secret-hosts-by-admin');
}

/** A variable is a secret by default, because a value that was shown once cannot be hidden again. */
export function createSiteEnvVar(input: SiteEnvVarInput & Named, sealed: VaultValue): readonly SiteEnvVarEvent[] {
  const { projectId, name, installScopeId = null, description = '', isSecret = true, allowedHosts = [] } = input;
  if (isSecret) mustNotBeSetting(name);
  const facts = { projectId, name, installScopeId, description, isSecret, allowedHosts, useRules: null };
  return [{ type: 'EnvVarSet', data: { ...facts, ...sealedDataOf(sealed), replaces: null } }];
}

export function updateSiteEnvVar(
  before: SiteEnvVar,
  { description, isSecret, allowedHosts, useRules }: SiteEnvVarInput,
  sealed: VaultValue | undefined,
  known: Known = nothingKnown,
): readonly SiteEnvVarEvent[] {
  const { id: _, workspaceId: __, updatedAt: ___, valueId, guessable = false, ...facts } = before;
  if (before.isSecret && isSecret === false && sealed === undefined) refuse('secret-stays-secret');
  if (isSecret === true && !before.isSecret) mustNotBeSetting(before.name, 'isSecret');
  const changed = {
    ...facts,
    description: description ?? facts.description,
    isSecret: isSecret ?? facts.isSecret,
    allowedHosts: allowedHosts ?? facts.allowedHosts,
    useRules: useRules === undefined ? facts.useRules : checkUseRules(useRules, known),
  };
  if (sealed === undefined && isDeepStrictEqual(changed, facts)) return [];
  const sealedData = sealedDataOf(sealed ?? { valueId, guessable });
  return [{ type: 'EnvVarSet', data: { ...changed, ...sealedData, replaces: sealed === undefined ? null : valueId } }];
}

export function deleteSiteEnvVar({ projectId, valueId }: SiteEnvVar): readonly SiteEnvVarEvent[] {
  return [{ type: 'EnvVarDeleted', data: { projectId, valueId } }];
}

/** `sent` must be a flat list of rules and references to policies. */
function checkUseRules(sent: readonly object[] | null, known: Known): Condition | null {
  if (sent === null) return null;
  const checked = checkCondition(sent, { place: 'env-var', ...known });
  if (checked.ok) return checked.condition;
  return refuseInput(checked.problems.map(({ path, message }) => ({ path: `useRules${path}`, message })));
}

const sealedDataOf = ({ valueId, guessable }: VaultValue) => ({
  valueId,
  ...(guessable ? { guessable: true as const } : {}),
});
