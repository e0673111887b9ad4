import type { Reads } from '../../../engine/scopes/reads.js';
import type { Where } from '../../../kernel/record/projection.js';
import type { SecretHosts } from '../../../secret-text/secret-list.js';
import type { EnvVar } from './env-var.record.js';

export interface KnownSecrets {
  readonly hosts: SecretHosts;
  readonly guessable: ReadonlySet<string>;
}

interface OfSite {
  readonly isSecret: boolean;
  readonly installScopeId: string | null;
}

/**
 * Reads the secrets of one owner, the workspace or a site. Omits a site's variables that are not secrets or have an
 * `installScopeId`. A site's secret without hosts of its own gets the hosts `any`, because each function lists the
 * hosts to which it sends the secret.
 * @param owner condition that selects the owner's secrets in a read model with secrets of several owners
 */
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
