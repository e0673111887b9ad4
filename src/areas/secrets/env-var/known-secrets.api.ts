import type { Reads } from '../../../engine/reads.js';
import type { Where } from '../../../kernel/projection.js';
import type { EnvVar } from './env-var.record.js';

/** Secrets of one owner, as needed to check and show lists of secrets. */
export interface KnownSecrets {
  /** By name: the hosts that each may ever be sent to. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Secrets whose values could be found by trying. */
  readonly guessable: ReadonlySet<string>;
}

/** `owner` narrows a read model that holds secrets of several owners. */
export async function knownSecrets(
  reads: Reads,
  workspaceId: string,
  collection = 'envVars',
  owner: Where = {},
): Promise<KnownSecrets> {
  const all = await reads.find<EnvVar>(workspaceId, collection, { where: owner });
  return {
    hosts: new Map(all.map(({ name, allowedHosts }) => [name, allowedHosts])),
    guessable: new Set(all.filter(({ guessable }) => guessable).map(({ name }) => name)),
  };
}
