import type { Reads } from '../../../engine/scopes/reads.js';
import type { Where } from '../../../kernel/record/projection.js';
import type { SecretHosts } from '../../../secret-text/secret-list.js';
import type { EnvVar } from './env-var.record.js';

/** Secrets of one owner, as needed to check and show lists of secrets. */
export interface KnownSecrets {
  /** By name: the hosts that each may ever be sent to. */
  readonly hosts: SecretHosts;
  /** Secrets whose values could be found by trying. */
  readonly guessable: ReadonlySet<string>;
}

/**
 * What variables of sites have beside secrets of the workspace. One without hosts of its own goes nowhere for visitors, and
 * for the owner where an Admin opens it.
 */
interface OfSite {
  readonly isSecret: boolean;
  readonly installScopeId: string | null;
}

/** `owner` narrows a read model that holds secrets of several owners. */
export async function knownSecrets(
  reads: Reads,
  workspaceId: string,
  collection = 'envVars',
  owner: Where = {},
): Promise<KnownSecrets> {
  const found = await reads.find<EnvVar & Partial<OfSite>>(workspaceId, collection, { where: owner });
  const all = found.filter(({ isSecret = true, installScopeId = null }) => isSecret && installScopeId === null);
  return {
    hosts: new Map(
      all.map(({ name, allowedHosts, isSecret }) => [
        name,
        isSecret && allowedHosts.length === 0 ? 'any' : allowedHosts,
      ]),
    ),
    guessable: new Set(all.filter(({ guessable }) => guessable).map(({ name }) => name)),
  };
}
