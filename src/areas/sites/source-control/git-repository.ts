import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { refuse } from '../sites.refusals.js';
import { Outdated } from '../snapshot/content-changes.api.js';
import {
  firstBranch,
  type GitPermissions,
  type GitRepositoryEvent,
  type SiteRepository,
} from './git-repository.record.js';

export type RepositoryBefore = SiteRepository | undefined;
export type RepositoryEvents = readonly GitRepositoryEvent[];

export const mostBranches = 200;

/** Names that git accepts, limited to these characters and to a length of 200. */
const branchForm =
  /^(?!-)(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\.(?:\/|$)|\/\.))(?!\.|\/)[A-Za-z0-9._/@+=#%-]{1,200}(?<!\/)$/;
export const branchField = {
  type: 'string',
  pattern: branchForm,
  description: 'The name of a branch, e.g. main.',
} as const;

export function begun(before: RepositoryBefore, projectId: string, events: RepositoryEvents): RepositoryEvents {
  return before === undefined ? [{ type: 'GitRepositoryBegun', data: { projectId } }, ...events] : events;
}

export const branchOf = (before: RepositoryBefore): string => before?.branch ?? firstBranch;
export const headOf = (before: RepositoryBefore, branch = branchOf(before)): string | undefined =>
  headIn(before?.branches, branch);
/** The head of the host's branch as of the last pull or push. */
export const remoteHeadOf = (before: RepositoryBefore, branch: string): string | undefined =>
  headIn(before?.remoteBranches, branch);

/** A branch may have the name of a member that every object inherits, such as `constructor`. */
const headIn = (heads: SiteRepository['branches'] | undefined, branch: string): string | undefined =>
  heads !== undefined && Object.hasOwn(heads, branch) ? heads[branch] : undefined;

/** The returned function throws `Outdated` if the branches or packs have changed since the events were planned. */
export function onTopOf(
  seen: RepositoryBefore,
  projectId: string,
  events: RepositoryEvents,
): (now: RepositoryBefore) => RepositoryEvents {
  return (now) => {
    const same =
      now?.branch === seen?.branch &&
      JSON.stringify([now?.branches, now?.packs]) === JSON.stringify([seen?.branches, seen?.packs]);
    if (!same) throw new Outdated();
    return begun(now, projectId, events);
  };
}

export function setPermissions(
  before: RepositoryBefore,
  projectId: string,
  sent: Partial<GitPermissions>,
): RepositoryEvents {
  const given = Object.entries(sent).filter(([name, value]) => (before?.[name as never] ?? false) !== value);
  if (given.length === 0) return [];
  return begun(before, projectId, [{ type: 'GitPermissionsSet', data: { projectId, ...Object.fromEntries(given) } }]);
}

type AiFlag = Exclude<keyof GitPermissions, 'publishOnPush'>;

/**
 * Agents need the permission `flag` of the repository; other callers do not (Q-S106).
 * @throws Refusal git-not-for-agents
 */
export function mustBeFor(caller: Caller | undefined, before: RepositoryBefore, flag: AiFlag): void {
  if (caller?.kind === 'agent' && before?.[flag] !== true) refuse('git-not-for-agents', { flag });
}

/**
 * Events that can delete records without a dry run showing it, because the dry run ends before it contacts the git host
 * or writes a commit.
 */
const deletesUntried: readonly string[] = ['GitPulled', 'GitMerged', 'GitBranchSwitched'];

/**
 * If some commands of the caller require an approval, refuses a pull, merge or switch that deletes records and was not
 * approved.
 * @throws Refusal git-deletes-unasked
 */
export function mustHaveAsked(
  { caller, approvedBy, weighing }: OperationContext,
  { type, data }: GitRepositoryEvent,
): void {
  const asksFirst = caller?.asks !== undefined && caller.asks !== 'nothing';
  if (!asksFirst || approvedBy !== undefined || weighing !== undefined) return;
  if (deletesUntried.includes(type) && 'deleted' in data && data.deleted > 0) refuse('git-deletes-unasked');
}

export const repositorySecretIds = ({ tokenId, webhookSecretId }: SiteRepository): readonly string[] =>
  [tokenId, webhookSecretId].filter((id) => id !== null);

export const endRepository = (before: SiteRepository): RepositoryEvents => [
  { type: 'GitRepositoryEnded', data: { projectId: before.projectId, secretIds: repositorySecretIds(before) } },
];

/** Prefix of the recorded problem. While it is there, the next delivery publishes, even if it pulls nothing. */
export const notPublished = 'The push was pulled, but its publish did not start:';
const refusedSince = ' A later delivery was refused:';

/** Returns the recorded problem if a push was pulled whose publish did not start yet. */
export const publishDue = (before: RepositoryBefore): string | undefined =>
  before?.lastError?.startsWith(notPublished) ? before.lastError : undefined;

/**
 * Records the problem, or that there is none any more. If a publish is due, a later problem is appended to the recorded
 * one, because replacing that would forget the publish.
 */
export function noteGitTrouble(before: RepositoryBefore, projectId: string, problem: string | null): RepositoryEvents {
  const due = publishDue(before)?.split(refusedSince)[0];
  const isAdded = due !== undefined && problem !== null && !problem.startsWith(notPublished);
  const noted = isAdded ? `${due}${refusedSince} ${problem}` : problem;
  if ((before?.lastError ?? null) === noted) return [];
  return begun(before, projectId, [{ type: 'GitTroubleNoted', data: { projectId, problem: noted } }]);
}
