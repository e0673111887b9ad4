import type { Caller } from '../../../../kernel/callers/caller.js';
import { isPersons } from '../../../../kernel/callers/caller.js';
import type { Settings } from '../../../workspace/workspace/workspace.record.js';
import { refuse } from '../../functions.refusals.js';
import { definitionOf, type FunctionDocument } from '../function.record.js';

/**
 * Returns the function with its open draft, so that a person can run the draft before publishing it. Full data access
 * is removed, because only approved code may have it. If the workspace also requires approval for the code of functions
 * with powers or secrets (`codeCards`), these are removed too.
 * @throws Refusal version-not-found, version-not-to-be-tried
 */
export function asDraft(
  fn: FunctionDocument,
  versionId: string,
  { codeCards }: Pick<Settings, 'codeCards'>,
): FunctionDocument {
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

/**
 * Only people, directly or through their own client, may run a draft, and only if versions are switched on.
 * @throws Refusal
 */
export function mayTryDraft(caller: Caller | undefined, { versions }: { readonly versions: boolean }): void {
  if (caller !== undefined && !isPersons(caller.kind)) refuse('drafts-tried-by-persons');
  if (!versions) refuse('versions-off');
}
