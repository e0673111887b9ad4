import type { Caller } from '../../../kernel/caller.js';
import { isPersons } from '../../../kernel/caller.js';
import { refuse } from '../../../kernel/refusal.js';
import { type AccountFunction, definitionOf } from './function.record.js';

/**
 * The function as its open draft has it, for a run before a person publishes it. It lacks Full data access and the identity
 * mode, because with them its code would need a card; the other powers and the secrets belong to no version.
 * @throws Refusal version-not-found, version-not-to-be-tried
 */
export function asDraft(fn: AccountFunction, versionId: string): AccountFunction {
  const version = fn.versions.find(({ id }) => id === versionId) ?? refuse('version-not-found');
  const { draft } = fn;
  if (draft?.versionId !== versionId) return refuse('version-not-to-be-tried', { state: version.state });
  return {
    ...fn,
    ...definitionOf(draft),
    liveVersionId: versionId,
    capabilities: fn.capabilities.filter((power) => power !== 'service'),
    identityMode: 'as_set_up',
  };
}

/** Persons, directly or through their own client, where versions are switched on. @throws Refusal */
export function mayTryDraft(caller: Caller | undefined, { versions }: { readonly versions: boolean }): void {
  if (caller !== undefined && !isPersons(caller.kind)) refuse('drafts-tried-by-persons');
  if (!versions) refuse('versions-off');
}
