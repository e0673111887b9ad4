import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import {
  GitHost,
  GitHostRefused,
  GitHostUnavailable,
  type HostedRepository,
} from '../../../ports/network/git-host.port.js';
import {
  GitRemote,
  type GitRemoteAddress,
  type GitRemoteRefs,
  GitRemoteRefused,
  GitRemoteUnavailable,
} from '../../../ports/network/git-remote.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { refusalOf, refuse } from '../sites.refusals.js';
import { begun, mustBeFor, publishDue, type RepositoryBefore } from './git-repository.js';
import {
  type GitHostConnection,
  type GitRepositoryEvent,
  gitRepositories,
  type SiteRepository,
} from './git-repository.record.js';
import { Repositories } from './repositories.js';
import type { NewRepository } from './source-control.refusals.js';

export interface RequestedConnection {
  readonly projectId: string;
  readonly repoOwner?: string;
  readonly repoName?: string;
  readonly createNew?: boolean;
  readonly newRepoName?: string;
  readonly token?: string;
  readonly remoteUrl?: string;
}

/** The new repository that exists or may exist at the host after an error. */
interface LeftAtHost {
  /** Exists. The call then keeps its idempotency key, because only its repetition takes the repository. */
  readonly refused?: NewRepository | undefined;
  readonly unavailable?: NewRepository | undefined;
}

interface Webhook {
  readonly url: string;
  readonly secret: string;
}

@Injectable()
export class HostConnections {
  constructor(
    private readonly repositories: Repositories,
    private readonly secrets: RecordedSecrets,
    private readonly remote: GitRemote,
    private readonly host: GitHost,
    private readonly vault: Vault,
    private readonly environment: Environment,
  ) {}

  /**
   * If no token is sent and the host is still the same, the stored token remains. The connection is recorded only after
   * the remote repository was reached.
   * @throws Refusal
   */
  async connect(
    call: OperationContext,
    input: RequestedConnection,
  ): Promise<{ after: SiteRepository; webhook: Webhook | null }> {
    const { projectId } = input;
    const found = await this.repositories.find(call.workspaceId, projectId);
    mustBeFor(call.caller, found, 'allowAiCommit');
    const tokenBefore = input.token === undefined && isSameHost(found, input) ? (found?.tokenId ?? null) : null;
    const token = input.token ?? (tokenBefore === null ? undefined : await this.tokenOf(call.workspaceId, tokenBefore));
    const connection = await this.connectionOf(call, found, input, token);
    const webhook = connection === null ? null : { address: call.newToken(), secret: call.newToken() };
    const tokenId = input.token === undefined ? tokenBefore : call.newId('gtok');
    const webhookSecretId = call.newId('ghs');
    const data = {
      projectId,
      connection,
      tokenId,
      connectedWith: call.caller?.keyId ?? '',
      ...(webhook === null ? {} : { webhookHash: this.hashOf(webhook.address), webhookSecretId }),
    };
    const record = () =>
      this.secrets.change(call, {
        aggregate: gitRepositories,
        id: projectId,
        begins: 'perhaps',
        decide: (now) => connected(now, data),
      });
    const withWebhook = () =>
      webhook === null
        ? record()
        : this.secrets.drafting(gitRepositories, call, { id: webhookSecretId, value: webhook.secret }, record);
    const { state } =
      input.token === undefined || tokenId === null
        ? await withWebhook()
        : await this.secrets.drafting(gitRepositories, call, { id: tokenId, value: input.token }, withWebhook);
    const url = `${this.environment.baseUrl}/api/app/${projectId}/source-control/push/${webhook?.address}`;
    return {
      after: state ?? gitRepositories.missing(),
      webhook: webhook === null ? null : { url, secret: webhook.secret },
    };
  }

  async disconnect(call: OperationContext, projectId: string): Promise<void> {
    const found = await this.repositories.find(call.workspaceId, projectId);
    mustBeFor(call.caller, found, 'allowAiCommit');
    await this.secrets.change(call, {
      aggregate: gitRepositories,
      id: projectId,
      begins: 'perhaps',
      decide: (now): readonly GitRepositoryEvent[] => {
        if (now === undefined || (now.connection === null && now.tokenId === null && !now.publishOnPush)) return [];
        const data = { projectId, secretIds: secretIdsIn(now) };
        return [{ type: 'GitHostDisconnected', data: now.publishOnPush ? { ...data, publishOnPush: false } : data }];
      },
    });
  }

  async hosted(call: OperationContext, projectId: string): Promise<readonly HostedRepository[]> {
    const token = await this.hostToken(call.workspaceId, projectId);
    return await this.asked(() => this.host.repositories(token));
  }

  async create(call: OperationContext, projectId: string, name: string, isPrivate: boolean): Promise<HostedRepository> {
    const found = await this.repositories.find(call.workspaceId, projectId);
    mustBeFor(call.caller, found, 'allowAiCommit');
    const token = await this.hostToken(call.workspaceId, projectId);
    return await this.created(call, token, { projectId, name, isPrivate });
  }

  async addressOf(found: RepositoryBefore): Promise<GitRemoteAddress> {
    if (found === undefined || found.connection === null) return refuse('git-not-connected');
    const { workspaceId, tokenId, connection } = found;
    return {
      url: connection.remoteUrl,
      token: tokenId === null ? undefined : await this.tokenOf(workspaceId, tokenId),
    };
  }

  async refsOf(found: RepositoryBefore): Promise<GitRemoteRefs> {
    const address = await this.addressOf(found);
    return await this.asked(() => this.remote.refs(address));
  }

  /**
   * Errors of the git host or remote repository become refusals.
   * @throws Refusal git-host-refused, git-host-unavailable
   */
  async asked<Answer>(work: () => Promise<Answer>, left: LeftAtHost = {}): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof GitHostRefused || error instanceof GitRemoteRefused) {
        const refusal = refusalOf('git-host-refused', { why: error.message, repository: left.refused });
        throw left.refused === undefined ? refusal : refusal.afterEffect();
      }
      if (error instanceof GitHostUnavailable || error instanceof GitRemoteUnavailable) {
        return refuse(
          'git-host-unavailable',
          { why: error.message, repository: left.unavailable },
          { retryAfterSeconds: 30 },
        );
      }
      throw error;
    }
  }

  /** `address` is the secret last segment of a webhook's URL. Only its keyed hash is stored. */
  hashOf(address: string): string {
    return this.vault.derive(`git-push/${hash('sha256', address, 'hex')}`);
  }

  /** A repetition of the call gets the repository that an earlier attempt created for the same project. */
  private async created(
    call: OperationContext,
    token: string,
    { projectId, ...requested }: { readonly projectId: string; readonly name: string; readonly isPrivate: boolean },
  ): Promise<HostedRepository> {
    const mark = call.repeatable ? derivedId('repo', `${call.commandId}/${projectId}`) : undefined;
    const unavailable = newRepository(call, requested.name, false);
    return await this.asked(() => this.host.create(token, { ...requested, mark }), { unavailable });
  }

  private async connectionOf(
    call: OperationContext,
    found: RepositoryBefore,
    { projectId, repoOwner, repoName, createNew, newRepoName, remoteUrl, token: sent }: RequestedConnection,
    token: string | undefined,
  ): Promise<GitHostConnection | null> {
    if (remoteUrl !== undefined) {
      const { defaultBranch } = await this.asked(() => this.remote.refs({ url: remoteUrl, token }));
      return { remoteUrl, repoOwner: null, repoName: null, defaultBranch: defaultBranch ?? null };
    }
    if (repoName === undefined && createNew !== true) {
      if (sent === undefined) return refuse('git-token-missing');
      const connection = found?.connection ?? null;
      return connection?.repoOwner === null ? refuse('git-token-alone') : connection;
    }
    if (token === undefined) return refuse('git-token-missing');
    const { owner, name, url, defaultBranch } =
      createNew === true
        ? await this.created(call, token, { projectId, name: newRepoName ?? '', isPrivate: true })
        : await this.asked(() => this.host.repository(token, repoOwner ?? '', repoName ?? ''));
    const repository = createNew === true ? newRepository(call, name, true) : undefined;
    await this.asked(() => this.remote.refs({ url, token }), { refused: repository, unavailable: repository });
    return { remoteUrl: url, repoOwner: owner, repoName: name, defaultBranch };
  }

  /**
   * A token that was sent together with a remote URL is not used for the git host's REST API, because it may be for
   * another host.
   */
  private async hostToken(workspaceId: string, projectId: string): Promise<string> {
    const found = await this.repositories.find(workspaceId, projectId);
    const isHosts = found !== undefined && (found.connection === null || found.connection.repoOwner !== null);
    if (!isHosts || found.tokenId === null) return refuse('git-token-missing');
    return (await this.tokenOf(workspaceId, found.tokenId)) ?? refuse('git-token-missing');
  }

  private tokenOf(workspaceId: string, tokenId: string): Promise<string | undefined> {
    return this.secrets.open(gitRepositories, workspaceId, tokenId);
  }
}

/** The receipt of a call that was approved is its card, so that a repetition does not make the call again. */
const newRepository = (
  { repeatable, approvedBy }: OperationContext,
  name: string,
  isCertain: boolean,
): NewRepository => ({ name, isCertain, isRepeatable: repeatable && approvedBy === undefined });

type Connected = Omit<Extract<GitRepositoryEvent, { type: 'GitHostConnected' }>['data'], 'replaces' | 'problem'>;

function connected(now: SiteRepository | undefined, data: Connected): readonly GitRepositoryEvent[] {
  const remaining = [data.tokenId, data.webhookSecretId ?? now?.webhookSecretId];
  const replaces = now === undefined ? [] : secretIdsIn(now).filter((id) => !remaining.includes(id));
  const problem = now?.connection?.remoteUrl === data.connection?.remoteUrl ? publishDue(now) : undefined;
  const all = { ...data, replaces, ...(problem === undefined ? {} : { problem }) };
  return begun(now, data.projectId, [{ type: 'GitHostConnected', data: all }]);
}

const secretIdsIn = ({ tokenId, webhookSecretId }: SiteRepository) =>
  [tokenId, webhookSecretId].filter((id) => id !== null);

function isSameHost(found: RepositoryBefore, { remoteUrl }: RequestedConnection): boolean {
  if (found === undefined) return false;
  const { connection } = found;
  if (remoteUrl === undefined) return connection === null || connection.repoOwner !== null;
  return connection !== null && URL.parse(connection.remoteUrl)?.origin === URL.parse(remoteUrl)?.origin;
}
