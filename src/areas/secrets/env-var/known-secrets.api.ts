import type { Reads } from '../../../engine/reads.js';
import type { EnvVar } from './env-var.record.js';

/** A workspace's secrets as lists of them are judged and shown. */
export interface KnownSecrets {
  /** By name, where each may ever be sent. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Those whose values somebody could find by trying. */
  readonly guessable: ReadonlySet<string>;
}

export async function knownSecrets(reads: Reads, workspaceId: string): Promise<KnownSecrets> {
  const all = await reads.find<EnvVar>(workspaceId, 'envVars');
  return {
    hosts: new Map(all.map(({ name, allowedHosts }) => [name, allowedHosts])),
    guessable: new Set(all.filter(({ guessable }) => guessable).map(({ name }) => name)),
  };
}
