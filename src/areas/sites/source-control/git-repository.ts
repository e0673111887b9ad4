import type { Caller } from '../../../kernel/callers/caller.js';
import { refuse } from '../sites.refusals.js';
import { Outdated } from '../snapshot/content-changes.api.js';
import {
  firstBranch,
  type GitPermissions,
  type GitRepositoryEvent,
  type SiteRepository,
} from './git-repository.record.js';

export type Before = SiteRepository | undefined;
export type Events = readonly GitRepositoryEvent[];

export const mostBranches = 200;

/** Names that git takes for branches, but for those that only git understands. */
const branchForm =
  /^(?!-)(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\.(?:\/|$)|\/\.))(?!\.|\/)[A-Za-z0-9._/@+=#%-]{1,200}(?<!\/)$/;
export const branchField = {
  type: 'string',
  pattern: branchForm,
  description: 'The name of a branch, e.g. main.',
} as const;

export function begun(before: Before, projectId: string, events: Events): Events {
  return before === undefined ? [{ type: 'GitRepositoryBegun', data: { projectId } }, ...events] : events;
}

export const branchOf = (before: Before): string => before?.branch ?? firstBranch;
export const headOf = (before: Before, branch = branchOf(before)): string | undefined => before?.branches[branch];

/** Records the planned events only if the repository is still as the plan read it. @throws Outdated */
export function onTopOf(seen: Before, projectId: string, events: Events): (now: Before) => Events {
  return (now) => {
    const same =
      now?.branch === seen?.branch &&
      JSON.stringify([now?.branches, now?.packs]) === JSON.stringify([seen?.branches, seen?.packs]);
    if (!same) throw new Outdated();
    return begun(now, projectId, events);
  };
}

export function setPermissions(before: Before, projectId: string, sent: Partial<GitPermissions>): Events {
  const given = Object.entries(sent).filter(([name, value]) => (before?.[name as never] ?? false) !== value);
  if (given.length === 0) return [];
  return begun(before, projectId, [{ type: 'GitPermissionsSet', data: { projectId, ...Object.fromEntries(given) } }]);
}

type AiFlag = Exclude<keyof GitPermissions, 'publishOnPush'>;

/** Refuses agents without the permission (Q-S106). @throws Refusal git-not-for-agents */
export function mustBeFor(caller: Caller | undefined, before: Before, flag: AiFlag): void {
  if (caller?.kind === 'agent' && before?.[flag] !== true) refuse('git-not-for-agents', { flag });
}

export const secretIdsOf = ({ tokenId, webhookSecretId }: SiteRepository): readonly string[] =>
  [tokenId, webhookSecretId].filter((id) => id !== null);

export const endRepository = (before: SiteRepository): Events => [
  { type: 'GitRepositoryEnded', data: { projectId: before.projectId, secretIds: secretIdsOf(before) } },
];

/** The same trouble is noted once. */
export function noteTrouble(before: Before, projectId: string, problem: string | null): Events {
  if ((before?.lastError ?? null) === problem) return [];
  return begun(before, projectId, [{ type: 'GitTroubleNoted', data: { projectId, problem } }]);
}
