import { command, query } from '../../../engine/operation/bound-operation.js';
import { riskyWhen, takesAwayWhen } from '../../../engine/operation/operation.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { BranchMoves } from './branch-moves.js';
import { BranchSwitching } from './branch-switching.js';
import { CommitAuthors } from './commit-authors.js';
import { branchField, branchOf, headOf, mustBeFor, remoteHeadOf } from './git-repository.js';
import type { GitRepositoryEvent, SiteRepository } from './git-repository.record.js';
import { Histories } from './histories.js';
import { Repositories, repositoryOf } from './repositories.js';

export const ofGit = {
  source: 'Sites API, Source control',
  group: 'source-control',
  tools: 'granted',
  within: 'project',
} as const;
const reads = { ...ofGit, permission: 'site.read' } as const;
const edits = { ...ofGit, permission: 'site.edit' } as const;
export const publishes = { ...ofGit, permission: 'site.publish' } as const;

const isDeleting = ({ data }: GitRepositoryEvent) => 'deleted' in data && data.deleted > 0;
export const deletesRecords = takesAwayWhen<SiteRepository, GitRepositoryEvent>(isDeleting);

const sha = { type: 'string', description: 'SHA-1 of the commit.' } as const;
export const paths = { type: 'array', items: 'string' } as const;
export const conflicts = {
  ...paths,
  optional: true,
  description: 'Paths that both sides changed. If there are any, nothing was changed.',
} as const;

const CommitRow = shapeOf('GitCommitRow', {
  sha,
  message: { type: 'string' },
  author: { type: 'string', description: 'The name of the author in the commit.' },
  date: { type: 'string', format: 'date-time' },
});

const defaultCommits = 50;

export const gitHistoryOperations = [
  query('site/gitStatus', {
    ...reads,
    summary: 'Returns which files differ from the last commit, and how the branch compares with the host.',
    answers: {
      fields: {
        branch: { type: 'string', description: 'The current branch.' },
        ahead: {
          type: 'integer',
          description: 'Number of commits that the host did not have at the last pull or push.',
        },
        behind: { type: 'integer', description: 'Number of commits of the host that are missing here.' },
        changed: { ...paths, description: 'Files with uncommitted edits.' },
      },
    },
    input: { projectId: idField },
    inject: [Histories, Repositories],
    handle: async ({ projectId }, { workspaceId }, histories, repositories) => {
      const { found, repository, head, changed } = await histories.see(workspaceId, projectId);
      const branch = branchOf(found);
      const there = remoteHeadOf(found, branch);
      const isKnown = head !== undefined && there !== undefined;
      const { ahead, behind } = isKnown
        ? await repositories.relation(repository, head, there)
        : { ahead: 0, behind: 0 };
      return { branch, ahead, behind, changed };
    },
  }),
  query('site/gitListBranches', {
    ...reads,
    summary: 'Lists the branches of a project, including branches of its host that were pulled or pushed.',
    answers: { fields: { branches: paths, current: { type: 'string' } } },
    input: { projectId: idField },
    inject: [Repositories],
    handle: async ({ projectId }, { workspaceId }, repositories) => {
      const found = await repositories.find(workspaceId, projectId);
      const names = [...Object.keys(found?.branches ?? {}), ...Object.keys(found?.remoteBranches ?? {})];
      return { branches: [...new Set(names)].sort(), current: branchOf(found) };
    },
  }),
  query('site/gitListCommits', {
    ...reads,
    summary: 'Lists the commits of the current branch, newest first.',
    answers: { fields: { commits: { type: 'array', items: () => CommitRow } } },
    input: {
      projectId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: defaultCommits },
    },
    inject: [Repositories, CommitAuthors],
    handle: async ({ projectId, limit = defaultCommits }, { workspaceId }, repositories, authors) => {
      const found = await repositories.find(workspaceId, projectId);
      const head = headOf(found);
      if (head === undefined) return { commits: [] };
      const repository = repositoryOf(workspaceId, projectId, found);
      const log = await repositories.asked((git) => git.log(repository, head, limit));
      const names = await authors.shown(
        workspaceId,
        log.map(({ author }) => author),
      );
      const commits = log.map(({ sha, message, author: { name }, at }, index) => {
        const date = new Date(at * 1_000).toISOString();
        return { sha, message: message.trimEnd(), author: names[index] ?? name, date };
      });
      return { commits };
    },
  }),
  command('site/gitCommit', {
    ...edits,
    summary: 'Commits the content of a project to the current branch.',
    answers: { fields: { sha } },
    input: {
      projectId: idField,
      message: { type: 'string', minLength: 1, maxLength: 5_000 },
      showEmail: {
        type: 'boolean',
        optional: true,
        description:
          'Whether the commit contains your email address. Otherwise it contains an address that receives no mail. Default: false.',
      },
    },
    inject: [Histories, Repositories],
    handle: async ({ projectId, message, showEmail = false }, call, histories, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiCommit');
      return await histories.commit(call, projectId, { message, showEmail });
    },
  }),
  command('site/gitCreateBranch', {
    ...edits,
    summary: 'Creates a branch at the last commit of the current branch, without switching to it.',
    answers: { fields: { branch: { type: 'string' }, sha } },
    input: { projectId: idField, name: branchField },
    inject: [Histories, Repositories],
    handle: async ({ projectId, name }, call, histories, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiCreateBranch');
      return await histories.createBranch(call, projectId, name);
    },
  }),
  command('site/gitSwitchBranch', {
    ...publishes,
    summary:
      'Replaces the content by that of another branch. Refused if there are uncommitted edits, which the error lists.',
    // Not `takesAway`: the contract refuses keys that never delete only `discardLocalChanges`.
    risky: riskyWhen<SiteRepository, GitRepositoryEvent>(isDeleting),
    outside: ['sends requests'],
    answers: {
      fields: {
        branch: { type: 'string' },
        snapshotId: {
          type: 'string',
          optional: true,
          description:
            'The snapshot with the discarded edits, for use with restoreSnapshot, which also restores the name, description, dependencies and brand kit of the project from it. Present if edits were discarded.',
        },
      },
    },
    input: {
      projectId: idField,
      name: branchField,
      discardLocalChanges: {
        type: 'boolean',
        optional: true,
        default: false,
        description: 'Switches even if there are uncommitted edits. Only for persons whose key may delete.',
      },
    },
    inject: [BranchSwitching, Repositories],
    handle: async ({ projectId, name, discardLocalChanges = false }, call, switching, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiCommit');
      return await switching.switchTo(call, projectId, name, discardLocalChanges);
    },
  }),
  command('site/gitMerge', {
    ...publishes,
    summary: 'Merges a branch into another. If both sides changed the same file, nothing is changed.',
    takesAway: deletesRecords,
    answers: { fields: { merged: { type: 'boolean' }, sha: { ...sha, optional: true }, conflicts } },
    input: { projectId: idField, from: branchField, to: branchField },
    inject: [BranchMoves, Repositories],
    handle: async ({ projectId, from, to }, call, moves, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiCommit');
      return await moves.merge(call, projectId, { from, to });
    },
  }),
  command('site/gitRollback', {
    ...publishes,
    summary: 'Restores the files of an earlier commit of the current branch, by making a new commit.',
    takesAway: true,
    answers: { fields: { sha } },
    input: {
      projectId: idField,
      sha: {
        type: 'string',
        pattern: /^[0-9a-f]{7,40}$/,
        description: 'The SHA-1 of the commit, or at least its first seven digits.',
      },
    },
    inject: [BranchMoves, Repositories],
    handle: async ({ projectId, sha: to }, call, moves, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiCommit');
      return await moves.rollBack(call, projectId, to);
    },
  }),
];
