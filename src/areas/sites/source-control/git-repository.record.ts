import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../sites.refusals.js';

export interface GitPermissions {
  readonly allowAiCommit: boolean;
  readonly allowAiPull: boolean;
  readonly allowAiPush: boolean;
  readonly allowAiCreateBranch: boolean;
  readonly publishOnPush: boolean;
}

/** The owner and name are `null` if the project was connected by URL. */
export interface GitHostConnection {
  readonly remoteUrl: string;
  readonly repoOwner: string | null;
  readonly repoName: string | null;
  readonly defaultBranch: string | null;
}

/** Vault id of the token for the git host. */
interface Token {
  readonly tokenId: string | null;
}

interface Webhook {
  readonly webhookHash: string;
  readonly webhookSecretId: string;
}

/** `packs` contains the ids of all packs of the repository after the event. */
interface Moved {
  readonly projectId: string;
  readonly branch: string;
  readonly sha: string;
  readonly packs: readonly string[];
}

interface Applied {
  readonly changed: number;
  readonly deleted: number;
}

export type GitRepositoryEvent =
  /** Always the first event of a repository. */
  | DomainEvent<'GitRepositoryBegun', { readonly projectId: string }>
  | DomainEvent<'GitCommitted', Moved & { readonly message: string; readonly changed: number }>
  | DomainEvent<'GitBranchCreated', Moved>
  | DomainEvent<'GitBranchSwitched', Moved & Applied & { readonly discarded: boolean }>
  | DomainEvent<'GitMerged', Moved & Applied & { readonly from: string }>
  | DomainEvent<'GitRolledBack', Moved & Applied & { readonly to: string }>
  /** `remoteSha` is the commit that was the head of the git host's branch when it was pulled. */
  | DomainEvent<'GitPulled', Moved & Applied & { readonly remoteSha: string }>
  | DomainEvent<'GitPushed', { readonly projectId: string; readonly branch: string; readonly sha: string }>
  | DomainEvent<'GitPermissionsSet', { readonly projectId: string } & Partial<GitPermissions>>
  | DomainEvent<
      'GitHostConnected',
      { readonly projectId: string } & Token &
        Partial<Webhook> & {
          /** `null` if only a token was sent and no repository was chosen yet. */
          readonly connection: GitHostConnection | null;
          readonly connectedWith: string;
          readonly replaces: readonly string[];
          /** What remains of `lastError`: a push from the same remote repository was pulled, and its publish is due. */
          readonly problem?: string;
        }
    >
  | DomainEvent<
      'GitHostDisconnected',
      {
        readonly projectId: string;
        readonly secretIds: readonly string[];
        /** Present if the setting was on. Events of earlier versions left it on. */
        readonly publishOnPush?: false;
      }
    >
  /** `problem` explains why a push to the git host could not be applied. `null` means that pushes are applied again. */
  | DomainEvent<'GitTroubleNoted', { readonly projectId: string; readonly problem: string | null }>
  | DomainEvent<'GitRepositoryEnded', { readonly projectId: string; readonly secretIds: readonly string[] }>;

export interface SiteRepository extends Document, GitPermissions, Token {
  readonly projectId: string;
  readonly branch: string;
  readonly branches: Readonly<Record<string, string>>;
  /** Heads as of the last pull or push, keyed by branch. */
  readonly remoteBranches: Readonly<Record<string, string>>;
  readonly packs: readonly string[];
  readonly connection: GitHostConnection | null;
  /** Changes that the host reports are pulled with the permissions of this API key, which connected the host. */
  readonly connectedWith: string | null;
  readonly webhookHash: string | null;
  readonly webhookSecretId: string | null;
  /** `null` if the last push to the git host was applied. */
  readonly lastError: string | null;
  readonly createdAt: string;
}

export const firstBranch = 'main';

const nothing = {
  branch: firstBranch,
  branches: {},
  remoteBranches: {},
  packs: [],
  connection: null,
  connectedWith: null,
  tokenId: null,
  webhookHash: null,
  webhookSecretId: null,
  lastError: null,
  allowAiCommit: false,
  allowAiPull: false,
  allowAiPush: false,
  allowAiCreateBranch: false,
  publishOnPush: false,
} as const;

const disconnected = {
  connection: null,
  connectedWith: null,
  tokenId: null,
  webhookHash: null,
  webhookSecretId: null,
  remoteBranches: {},
  lastError: null,
} as const;

const moved = ({ branches }: SiteRepository, { branch, sha, packs }: Moved) => ({
  branches: { ...branches, [branch]: sha },
  packs,
});
const short = (sha: string) => sha.slice(0, 7);
const files = (count: number) => (count === 1 ? 'one file' : `${count} files`);

export const gitRepositories = plainRecord<SiteRepository, GitRepositoryEvent>()({
  category: 'gitRepository',
  inner: ['connectedWith', 'tokenId', 'webhookHash', 'webhookSecretId', 'replaces', 'secretIds', 'packs'],
  secrets: {
    entry: 'git-host',
    fates: {
      GitHostConnected: ({ tokenId, webhookSecretId, replaces }) => ({
        keeps: [tokenId, webhookSecretId].filter((id) => typeof id === 'string'),
        destroys: replaces,
      }),
      GitHostDisconnected: ({ secretIds }) => ({ destroys: secretIds }),
      GitRepositoryEnded: ({ secretIds }) => ({ destroys: secretIds }),
    },
  },
  auditedFor: 'site.read',
  shownBy: 'site/getGitConnection',
  of: { project: 'projectId' },
  undoing: {
    sets: [{ operation: 'site/updateGitPermissions', for: ['GitPermissionsSet'] }],
    otherwise:
      'A commit remains in the history; gitRollback makes a new one with the files of an earlier commit. Its changes of pages, components and templates can be undone individually, or with revertSnapshotChange.',
    gone: 'The history was deleted with its project.',
  },
  missing: () => refuse('git-no-commits'),
  collection: { name: 'gitRepositories', version: 1, indexes: [{ fields: ['projectId'] }] },
  begins: { GitRepositoryBegun: nothing },
  ends: ['GitRepositoryEnded'],
  sentences: {
    GitCommitted: (_, { data: { branch, sha, changed } }) =>
      `Committed ${files(changed)} to the branch ${branch} as ${short(sha)}`,
    GitBranchCreated: (_, { data: { branch, sha } }) => `The branch ${branch} was made at ${short(sha)}`,
    GitBranchSwitched: (_, { data: { branch, changed, discarded } }) =>
      `The site switched to the branch ${branch}, which changed ${files(changed)}${discarded ? ' and discarded uncommitted edits' : ''}`,
    GitMerged: (_, { data: { from, branch, changed } }) =>
      `The branch ${from} was merged into ${branch}, which changed ${files(changed)}`,
    GitRolledBack: (_, { data: { branch, to, changed } }) =>
      `The branch ${branch} was rolled back to the files of ${short(to)}, which changed ${files(changed)}`,
    GitPulled: (_, { data: { branch, remoteSha, changed } }) =>
      `The branch ${branch} was pulled from the host at ${short(remoteSha)}, which changed ${files(changed)}`,
    GitPushed: (_, { data: { branch, sha } }) => `The branch ${branch} was pushed to the host at ${short(sha)}`,
    GitHostConnected: (_, { data: { connection } }) =>
      connection === null ? 'A token for a git host was kept' : `The site was connected to ${connection.remoteUrl}`,
    GitHostDisconnected: (_, { data: { publishOnPush } }) =>
      `The site was disconnected from its git host${publishOnPush === false ? ', and pushes publish it no longer' : ''}`,
    GitTroubleNoted: (_, { data: { problem } }) =>
      problem === null ? 'Pushes to the host are taken in again' : `A push to the host was not taken in: ${problem}`,
  },
  also: {
    GitCommitted: (before, { data }) => moved(before, data),
    GitBranchCreated: (before, { data }) => moved(before, data),
    GitBranchSwitched: (before, { data }) => ({ ...moved(before, data), branch: data.branch }),
    GitMerged: (before, { data }) => moved(before, data),
    GitRolledBack: (before, { data }) => moved(before, data),
    GitPulled: (before, { data }) => ({
      ...moved(before, data),
      branch: data.branch,
      remoteBranches: { ...before.remoteBranches, [data.branch]: data.remoteSha },
    }),
    GitPushed: ({ remoteBranches }, { data: { branch, sha } }) => ({
      remoteBranches: { ...remoteBranches, [branch]: sha },
    }),
    GitPermissionsSet: (_, { data: { projectId: __, ...permissions } }) => permissions,
    GitHostConnected: (before, { data }) => ({
      connection: data.connection,
      connectedWith: data.connectedWith,
      tokenId: data.tokenId,
      webhookHash: data.webhookHash ?? before.webhookHash,
      webhookSecretId: data.webhookSecretId ?? before.webhookSecretId,
      remoteBranches: data.connection?.remoteUrl === before.connection?.remoteUrl ? before.remoteBranches : {},
      lastError: data.problem ?? null,
    }),
    GitHostDisconnected: ({ publishOnPush }, { data }) => ({
      ...disconnected,
      publishOnPush: data.publishOnPush ?? publishOnPush,
    }),
    GitTroubleNoted: (_, { data: { problem } }) => ({ lastError: problem }),
  },
});
