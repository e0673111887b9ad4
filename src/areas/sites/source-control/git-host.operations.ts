import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { notShownField } from '../../../engine/operation/shown-once.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { conflicts, deletesRecords, ofGit, paths, publishes } from './git-history.operations.js';
import { branchOf, headOf, mustBeFor, type RepositoryBefore, setPermissions } from './git-repository.js';
import { gitRepositories } from './git-repository.record.js';
import { HostConnections, type RequestedConnection } from './host-connections.js';
import { HostSyncing } from './host-syncing.js';
import { Repositories } from './repositories.js';

const flag = { type: 'boolean' } as const;
const permissions = {
  allowAiCommit: flag,
  allowAiPull: flag,
  allowAiPush: flag,
  allowAiCreateBranch: flag,
  publishOnPush: { ...flag, description: 'Whether a push to the host also publishes the site.' },
} as const;
const sentPermissions = {
  allowAiCommit: {
    ...flag,
    optional: true,
    description: 'Whether agents may commit, switch, merge, roll back and connect.',
  },
  allowAiPull: { ...flag, optional: true },
  allowAiPush: { ...flag, optional: true },
  allowAiCreateBranch: { ...flag, optional: true },
  publishOnPush: { ...permissions.publishOnPush, optional: true },
} as const;

const RepositoryRow = shapeOf('GitHostRepository', {
  fullName: { type: 'string' },
  name: { type: 'string' },
  owner: { type: 'string' },
  private: flag,
  defaultBranch: { type: 'string' },
});

const noText = { type: 'string', nullable: true } as const;
const ConnectionRecord = shapeOf('GitConnection', {
  connected: flag,
  repoOwner: noText,
  repoName: noText,
  remoteUrl: noText,
  branch: { type: 'string', description: 'The current branch.' },
  lastCommitSha: noText,
  hasToken: { ...flag, description: 'Whether a token for the host is stored. It is never shown.' },
  lastError: { ...noText, description: 'Why the last push to the host could not be processed. null if it succeeded.' },
  ...permissions,
});

function shownOf(found: RepositoryBefore) {
  const { repoOwner = null, repoName = null, remoteUrl = null } = found?.connection ?? {};
  return {
    connected: remoteUrl !== null,
    repoOwner,
    repoName,
    remoteUrl,
    branch: branchOf(found),
    lastCommitSha: headOf(found) ?? null,
    hasToken: (found?.tokenId ?? null) !== null,
    lastError: found?.lastError ?? null,
    allowAiCommit: found?.allowAiCommit ?? false,
    allowAiPull: found?.allowAiPull ?? false,
    allowAiPush: found?.allowAiPush ?? false,
    allowAiCreateBranch: found?.allowAiCreateBranch ?? false,
    publishOnPush: found?.publishOnPush ?? false,
  };
}

showsAs(gitRepositories, shownOf);

const name = { type: 'string', pattern: /^[A-Za-z0-9._-]{1,100}$/ } as const;
/**
 * An https URL without user, query or fragment. The token must be sent separately, so that it is never part of the URL.
 */
const remoteUrl = /^https:\/\/[^\s/?#@\\]+\/[^\s?#@\\]+$/;

export const gitHostOperations = [
  query('site/getGitConnection', {
    ...ofGit,
    permission: 'site.read',
    summary: 'Returns the repository that a project is connected to, and what AI agents may do with it.',
    answers: { record: ConnectionRecord },
    input: { projectId: idField },
    inject: [Repositories],
    handle: async ({ projectId }, { workspaceId }, repositories) =>
      shownOf(await repositories.find(workspaceId, projectId)),
  }),
  command('site/connectGitHost', {
    ...publishes,
    summary: 'Connects a project to a repository: an existing or a new one of the host, or any repository by its URL.',
    outside: ['sends requests', 'destroys secrets'],
    answers: {
      fields: {
        connected: {
          ...flag,
          description:
            'false if only a token was sent. listGitHostRepos then lists the repositories that it can access.',
        },
        repoOwner: noText,
        repoName: noText,
        remoteUrl: noText,
        branch: { type: 'string' },
        webhook: {
          type: 'object',
          shape: () => PushWebhook,
          nullable: true,
          once: true,
          description:
            'URL and secret to enter as a push webhook of the repository, with the content type application/json. It replaces an earlier webhook.',
        },
        notShown: notShownField,
      },
    },
    input: {
      projectId: idField,
      repoOwner: {
        ...name,
        optional: true,
        description: 'Owner of an existing repository at the host. Requires repoName.',
      },
      repoName: {
        ...name,
        optional: true,
        description: 'Name of an existing repository at the host. Requires repoOwner.',
      },
      createNew: {
        ...flag,
        optional: true,
        description: 'true creates a new private repository. Requires newRepoName.',
      },
      newRepoName: { ...name, optional: true },
      token: {
        type: 'string',
        pattern: /^[\x21-\x7e]{1,500}$/,
        password: true,
        optional: true,
        description:
          'Access token for the host. Stored encrypted and never shown. If omitted, the stored token for the same host is used. While the project is connected by URL, it requires remoteUrl.',
      },
      remoteUrl: {
        type: 'string',
        pattern: remoteUrl,
        maxLength: 1_000,
        optional: true,
        description: 'Any repository that git can access by HTTPS, instead of one at the host.',
      },
    },
    inject: [HostConnections],
    handle: async (input, call, connections) => {
      mustFit(input);
      const { after, webhook } = await connections.connect(call, input);
      return { ...shownOf(after), webhook };
    },
  }),
  command('site/disconnectGitHost', {
    ...publishes,
    summary:
      'Removes the connection to the repository, the token and the webhook, and turns publishOnPush off. The history of the project is retained.',
    takesAway: true,
    outside: ['sends requests', 'destroys secrets'],
    answers: success,
    input: { projectId: idField },
    inject: [HostConnections],
    handle: async ({ projectId }, call, connections) => {
      await connections.disconnect(call, projectId);
      return { success: true };
    },
  }),
  recordCommand('site/updateGitPermissions', {
    ...ofGit,
    summary: 'Sets what AI agents may do with the repository, and whether a push to the host publishes the site.',
    permission: 'workspace.manage',
    callers: ['person', 'connection'],
    tools: 'never',
    answers: success,
    input: { projectId: idField, ...sentPermissions },
    record: gitRepositories,
    id: ({ projectId }) => projectId,
    begins: 'perhaps',
    decide: (before, { projectId, allowAiCommit, allowAiPull, allowAiPush, allowAiCreateBranch, publishOnPush }) => {
      const sent = { allowAiCommit, allowAiPull, allowAiPush, allowAiCreateBranch, publishOnPush };
      const given = Object.entries(sent).filter(([, value]) => value !== undefined);
      return setPermissions(before, projectId, Object.fromEntries(given));
    },
  }),
  // Listing changes nothing, but the contract refuses it to read-only keys (Q-S105).
  query('site/listGitHostRepos', {
    ...publishes,
    summary: "Lists at most 1,000 repositories at the host that the project's token can access.",
    showsLinks: true,
    answers: { list: RepositoryRow },
    input: { projectId: idField },
    inject: [HostConnections],
    handle: ({ projectId }, call, connections) => connections.hosted(call, projectId),
  }),
  command('site/gitCreateRepo', {
    ...publishes,
    summary: 'Creates an empty repository at the host. connectGitHost connects the project to it.',
    outside: ['sends requests'],
    answers: { record: RepositoryRow },
    input: { projectId: idField, name, isPrivate: { ...flag, optional: true, default: true } },
    inject: [HostConnections],
    handle: ({ projectId, name: called, isPrivate = true }, call, connections) =>
      connections.create(call, projectId, called, isPrivate),
  }),
  command('site/gitPull', {
    ...publishes,
    summary: 'Pulls the commits of the host into the current branch and applies them to the content.',
    takesAway: deletesRecords,
    outside: ['sends requests'],
    answers: {
      fields: {
        sha: { type: 'string' },
        changed: { ...paths, description: 'Files that the pull changed.' },
        conflicts,
      },
    },
    input: { projectId: idField },
    inject: [HostSyncing, Repositories],
    handle: async ({ projectId }, call, syncing, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiPull');
      return await syncing.pull(call, projectId);
    },
  }),
  command('site/gitPush', {
    ...publishes,
    summary: 'Pushes the commits of the current branch to the host. Uncommitted edits are not included.',
    outside: ['sends requests'],
    answers: { fields: { sha: { type: 'string' } } },
    input: { projectId: idField },
    inject: [HostSyncing, Repositories],
    handle: async ({ projectId }, call, syncing, repositories) => {
      mustBeFor(call.caller, await repositories.find(call.workspaceId, projectId), 'allowAiPush');
      return await syncing.push(call, projectId);
    },
  }),
];

const PushWebhook = shapeOf('GitPushWebhook', {
  url: { type: 'string', password: true },
  secret: { type: 'string', password: true },
});

/** The input may name at most one repository. It may name none only if it contains a token. */
function mustFit({ repoOwner, repoName, createNew, newRepoName, remoteUrl: url, token }: RequestedConnection): void {
  const wrong = (path: string, message: string) => refuseInput([{ path, message }]);
  if ((repoName === undefined) !== (repoOwner === undefined)) {
    wrong(repoName === undefined ? 'repoName' : 'repoOwner', 'requires both repoOwner and repoName');
  }
  if ((createNew === true) !== (newRepoName !== undefined))
    wrong('newRepoName', 'must be sent exactly if createNew is true');
  const ways = [repoName, createNew === true ? newRepoName : undefined, url].filter((one) => one !== undefined);
  if (ways.length > 1) wrong('', 'must name only one repository: repoName, newRepoName or remoteUrl');
  if (ways.length === 0 && token === undefined) {
    wrong('', 'must name a repository: repoOwner with repoName, createNew with newRepoName, or remoteUrl');
  }
}
