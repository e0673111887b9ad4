import type { Reads } from '../../../engine/scopes/reads.js';
import type { Where } from '../../../kernel/record/projection.js';
import type { SecretHosts } from '../../../secret-text/secret-list.js';
import type { EnvVar } from './env-var.record.js';

/** Secrets of one owner, as needed to check and show lists of secrets. */
export interface KnownSecrets {
  /** The hosts to which each may ever be sent, by name. */
  readonly hosts: SecretHosts;
  /** Secrets whose values can be guessed. */
  readonly guessable: ReadonlySet<string>;
}

/**
 * Additional fields of sites' variables. One without hosts of its own is never sent for visitors, and for the owner
 * only where an Admin opened it.
 */
interface OfSite {
  readonly isSecret: boolean;
  readonly installScopeId: string | null;
}

/** @param owner restricts a read model with secrets of several owners */
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
