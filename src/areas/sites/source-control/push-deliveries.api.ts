import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Authenticator } from '../../../engine/authorisation/authenticator.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { findOperation, type OperationName } from '../../../engine/operation/operation.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { isJsonObject, type Json } from '../../../kernel/json/json.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { equalInConstantTime } from '../../../kernel/text/same-text.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../sites.refusals.js';
import { branchOf, noteGitTrouble, notPublished, publishDue } from './git-repository.js';
import { gitRepositories, type SiteRepository } from './git-repository.record.js';
import { HostConnections } from './host-connections.js';
import { Repositories } from './repositories.js';

export interface PushWebhook {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly secret: string;
}

export interface Delivered {
  /** Header `X-Hub-Signature-256`. */
  readonly signature: string | undefined;
  /** Header `X-GitHub-Event`. */
  readonly event: string | undefined;
}

/** Time between attempts to publish while another publish, which may lack the pushed content, is in progress. */
const publishAgainMs = 2_000;
const mostPublishes = 60;

/**
 * Handles the git host's reports of pushes. A push is pulled with the permissions of the API key that connected the
 * host. The site is then published if files changed and the project is set to do so.
 */
@Injectable()
export class PushDeliveries {
  private readonly turns = new KeyedMutex();

  constructor(
    private readonly repositories: Repositories,
    private readonly connections: HostConnections,
    private readonly secrets: RecordedSecrets,
    private readonly authenticator: Authenticator,
    private readonly pipeline: Pipeline,
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  /** @throws Refusal git-webhook-not-found, the same for every wrong address */
  async find(workspaceId: string, projectId: string, address: string): Promise<PushWebhook> {
    const found = await this.repositories.find(workspaceId, projectId);
    const known = found?.webhookHash ?? null;
    const secretId = found?.webhookSecretId ?? null;
    if (known !== null && secretId !== null && equalInConstantTime(known, this.connections.hashOf(address))) {
      const secret = await this.secrets.open(gitRepositories, workspaceId, secretId);
      if (secret !== undefined) return { workspaceId, projectId, secret };
    }
    return refuse('git-webhook-not-found');
  }

  /**
   * Resolves when the pushed commits are pulled and their publish, if it is enabled, has started.
   * @param body exactly the bytes received, because they are signed
   * @throws Refusal
   */
  async receive(webhook: PushWebhook, body: Uint8Array, { signature, event }: Delivered): Promise<void> {
    const expected = `sha256=${createHmac('sha256', webhook.secret).update(body).digest('hex')}`;
    if (signature === undefined || !equalInConstantTime(signature, expected)) refuse('git-push-not-verified');
    if (event !== 'push') return;
    const ref = refIn(body);
    await this.turns.run(webhook.projectId, async () => {
      const found = await this.repositories.find(webhook.workspaceId, webhook.projectId);
      if (found === undefined || ref !== `refs/heads/${branchOf(found)}`) return;
      try {
        await this.takeIn(webhook, await this.callerOf(found.connectedWith), found);
        await this.note(webhook, null);
      } catch (error) {
        if (error instanceof Refusal) await this.note(webhook, error.message);
        throw error;
      }
    });
  }

  private async takeIn(webhook: PushWebhook, caller: Caller, found: SiteRepository): Promise<void> {
    const { projectId } = webhook;
    const pulled = (await this.call(caller, 'site/gitPull', { projectId })) as {
      readonly changed?: readonly string[];
      readonly conflicts?: readonly string[];
    };
    if (pulled.conflicts !== undefined) refuse('git-conflicts', { paths: pulled.conflicts });
    // An earlier delivery may have pulled the changes without publishing them.
    const isDue = (pulled.changed ?? []).length > 0 || publishDue(found) !== undefined;
    if (!found.publishOnPush || !isDue) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.call(caller, 'site/publish', { id: projectId });
        return;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== 'publish-running' || attempt === mostPublishes) {
          throw error.with({}, `${notPublished} ${error.message}`);
        }
        await new Promise<void>((resolve) => this.clock.after(publishAgainMs, resolve));
      }
    }
  }

  private async call(caller: Caller, name: OperationName, body: object): Promise<unknown> {
    const operation = findOperation(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    return await this.pipeline.within(operation, body, { ...this.calls.by(caller, name), caller });
  }

  /**
   * The caller has the permissions that the key has now.
   * @throws Refusal git-key-gone
   */
  private async callerOf(keyId: string | null): Promise<Caller> {
    const caller = keyId === null ? undefined : await this.authenticator.callerOfKey(keyId);
    return caller ?? refuse('git-key-gone');
  }

  private async note({ workspaceId, projectId }: PushWebhook, problem: string | null): Promise<void> {
    const known = await this.repositories.find(workspaceId, projectId);
    if (noteGitTrouble(known, projectId, problem).length === 0) return;
    await this.runner.change(this.calls.once(workspaceId, systemActor('source control'), 'source-control/note'), {
      aggregate: gitRepositories,
      id: projectId,
      begins: 'perhaps',
      decide: (before) => noteGitTrouble(before, projectId, problem),
    });
  }
}

/** @throws Refusal git-push-not-verified if the body is not JSON */
function refIn(body: Uint8Array): Json | undefined {
  try {
    const payload = JSON.parse(Buffer.from(body).toString('utf8')) as Json;
    return isJsonObject(payload) ? payload['ref'] : undefined;
  } catch {
    return refuse('git-push-not-verified');
  }
}
