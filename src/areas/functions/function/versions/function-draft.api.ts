import type { Caller } from '../../../../kernel/callers/caller.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import type { Settings } from '../../../workspace/workspace/workspace.record.js';
import { refuse } from '../../functions.refusals.js';
import { type AccountFunction, definitionOf } from '../function.record.js';

/**
 * The function as its open draft has it, for a run before a person publishes it. It lacks Full data access and the identity
 * mode, because with them its code would need a card, and where the workspace has code with powers or secrets wait for one
 * (`codeCards`), it lacks those too.
 * @throws Refusal version-not-found, version-not-to-be-tried
 */
export function asDraft(
  fn: AccountFunction,
  versionId: string,
  { codeCards }: Pick<Settings, 'codeCards'>,
): AccountFunction {
  const version = fn.versions.find(({ id }) => id === versionId) ?? refuse('version-not-found');
  const { draft } = fn;
  if (draft?.versionId !== versionId) return refuse('version-not-to-be-tried', { state: version.state });
  return {
    ...fn,
    ...definitionOf(draft),
    liveVersionId: versionId,
    ...(codeCards === 'full-data-access'
      ? { capabilities: fn.capabilities.filter((power) => power !== 'service') }
      : { capabilities: [], secrets: [] }),
    identityMode: 'as_set_up',
  };
}

/** Persons, directly or through their own client, where versions are switched on. @throws Refusal */
export function mayTryDraft(caller: Caller | undefined, { versions }: { readonly versions: boolean }): void {
  if (caller !== undefined && !isPersons(caller.kind)) refuse('drafts-tried-by-persons');
  if (!versions) refuse('versions-off');
}
