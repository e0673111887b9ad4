import { Injectable } from '@nestjs/common';
import type { Visitor } from '../../areas/access/judging/visitor.api.js';
import { FunctionRuns } from '../../areas/functions/run/function-runs.api.js';
import { DeliveredFiles } from '../../areas/functions/run/storage/delivered-files.api.js';
import type { DeliveryHeaders } from '../../areas/triggers/webhook/delivery.api.js';
import {
  type Webhook,
  webhooks,
  webhookTarget,
  webhookTokenText,
} from '../../areas/triggers/webhook/webhook.record.js';
import { WebhookSwitch } from '../../areas/triggers/webhook/webhook-switch.api.js';
import { WebhookVerifier } from '../../areas/triggers/webhook/webhook-verifier.api.js';
import { IdempotencyStore } from '../../engine/pipeline/idempotency-store.js';
import { type TargetStart, Targets } from '../../engine/scopes/targets.js';
import type { Owned } from '../../kernel/callers/function-owner.js';
import type { Target } from '../../kernel/callers/target.js';
import { derivedId } from '../../kernel/event/derived-id.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Ids } from '../../ports/ids.port.js';
import { ReadStore } from '../../ports/read-store.port.js';
import { Vault } from '../../ports/vault.port.js';
import { noBody } from '../body.js';
import { refuse } from '../http.refusals.js';
import { deliveryOf } from './webhook-params.js';

export interface WebhookAnswer {
  readonly status: 200 | 202 | 500;
  readonly runId: string;
  readonly body:
    | { readonly success: boolean; readonly data?: Json; readonly error?: string }
    | { readonly runId: string };
}

export interface WebhookCall {
  readonly headers: DeliveryHeaders;
  /** Exactly as received. Emptied after parsing, to free the memory while the run continues. */
  body: Uint8Array;
  readonly url: string;
  readonly visitor: Visitor | undefined;
  /**
   * If true, the response does not wait for a function's run, unless the function runs for a visitor. The response
   * never waits for a flow or an agent.
   */
  readonly async: boolean;
}

/**
 * Maximum size, in bytes, of all bodies that the process parses at the same time. A body is always accepted while no
 * other is being parsed.
 */
const mostFormBytes = 128 * 1024 * 1024;

interface DeliveredRun {
  readonly runId: string;
  /** True if the id is derived from the delivery's key, so a repeated delivery has the same run. */
  readonly repeatable: boolean;
}

interface RunInput {
  readonly params: JsonObject;
  readonly hasFiles: boolean;
}

@Injectable()
export class WebhookIngress {
  /**
   * Deliveries without a response yet. If one is repeated, both get the same response. The key contains webhook,
   * visitor and delivery key.
   */
  private readonly inProgress = new Map<string, Promise<WebhookAnswer>>();
  private formBytes = 0;

  constructor(
    private readonly store: ReadStore,
    private readonly targets: Targets,
    private readonly vault: Vault,
    private readonly verifier: WebhookVerifier,
    private readonly runs: FunctionRuns,
    private readonly files: DeliveredFiles,
    private readonly receipts: IdempotencyStore,
    private readonly ids: Ids,
    private readonly siteWebhooks: WebhookSwitch,
  ) {}

  /** @throws Refusal delivery-not-verified, form-malformed, form-too-large, forms-taken, idempotency-key-in-progress */
  async receive(webhook: Webhook, call: WebhookCall): Promise<WebhookAnswer> {
    const key = await this.verifier.keyOf(webhook, call);
    if (key === undefined) return this.run(webhook, call, { runId: this.ids.newId('run'), repeatable: false });
    const delivery = `${deliveriesOf(webhook, call)}/${key}`;
    const same = this.inProgress.get(delivery);
    if (same !== undefined) return same;
    const answer = this.once(webhook, call, delivery).finally(() => this.inProgress.delete(delivery));
    this.inProgress.set(delivery, answer);
    return answer;
  }

  /**
   * The refusal does not reveal whether the webhook is inactive, deleted or unknown.
   * @throws Refusal webhook-not-found, site-webhooks-off
   */
  async webhookOf(token: string): Promise<Webhook> {
    const tokenHash = this.vault.derive(webhookTokenText(token));
    const [webhook] = await this.store.find<Webhook>('webhooks', { where: { tokenHash }, limit: 1 });
    if (webhook === undefined || !webhook.isActive) return webhooks.missing();
    const target = await this.targets.find(webhook.workspaceId, webhookTarget(webhook));
    if (target === undefined) return webhooks.missing();
    await this.siteWebhooks.mustBeOn(webhook.workspaceId, webhook.targetKind);
    return webhook;
  }

  private async ownerOf(webhook: Webhook): Promise<Owned> {
    if (webhook.targetKind !== 'site_function') return {};
    const { projectId } = (await this.targets.find(webhook.workspaceId, webhookTarget(webhook))) ?? webhooks.missing();
    return projectId === undefined ? {} : { projectId };
  }

  private async once(webhook: Webhook, call: WebhookCall, delivery: string): Promise<WebhookAnswer> {
    const receipt = await this.receipts.begin<WebhookAnswer>(delivery, delivery);
    if (receipt.state === 'answered') return receipt.answer;
    if (receipt.state === 'going') {
      return refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 1 });
    }
    try {
      const runId = derivedId('run', delivery);
      const answer =
        (await this.cutOff(webhook, runId)) ?? (await this.run(webhook, call, { runId, repeatable: true }));
      await this.receipts.settle(delivery, delivery, answer);
      return answer;
    } catch (error) {
      await this.receipts.release(delivery);
      throw error;
    }
  }

  /**
   * Returns the response for a run that an earlier attempt started, if its response was lost, for example in a crash.
   * The run is not started again.
   * @throws Refusal idempotency-key-in-progress if the run has not ended
   */
  private async cutOff({ workspaceId }: Webhook, runId: string): Promise<WebhookAnswer | undefined> {
    const run = await this.runs.find(workspaceId, runId);
    if (run === undefined) return undefined;
    if (run.accepted) return { status: 202, runId, body: { runId } };
    if (!run.ended) return refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 5 });
    if (run.error !== null) return { status: 500, runId, body: { success: false, error: run.error } };
    return { status: 200, runId, body: { success: true, data: null } };
  }

  private async run(webhook: Webhook, call: WebhookCall, which: DeliveredRun): Promise<WebhookAnswer> {
    const { runId } = which;
    const taken = await this.taken(webhook, call, runId);
    call.body = noBody;
    try {
      return await this.started(webhook, taken, which, call);
    } catch (error) {
      // After a refusal, there is no run, unless an earlier delivery with the same key began it. After other errors the
      // run may exist, so the files remain until they expire.
      const hasNoRun =
        error instanceof Refusal && error.kind !== 'unavailable' && error.code !== 'idempotency-key-in-progress';
      if (taken.hasFiles && hasNoRun) await this.files.destroy({ ...webhook, runId }).catch(() => undefined);
      throw error;
    }
  }

  private async taken(webhook: Webhook, call: WebhookCall, runId: string): Promise<RunInput> {
    const size = call.body.length;
    if (this.formBytes > 0 && this.formBytes + size > mostFormBytes) {
      refuse('forms-taken', undefined, { retryAfterSeconds: 2 });
    }
    this.formBytes += size;
    try {
      const readsFiles = isFunction(webhookTarget(webhook));
      const fileIdAt = (index: number) => (readsFiles ? DeliveredFiles.idOf(runId, index) : null);
      const { params, files } = await deliveryOf(call, fileIdAt);
      if (files.length > 0) await this.files.storeAll({ ...webhook, runId }, files);
      return { params, hasFiles: files.length > 0 };
    } finally {
      this.formBytes -= size;
    }
  }

  private async started(
    webhook: Webhook,
    { params, hasFiles }: RunInput,
    { runId, repeatable }: DeliveredRun,
    { async, visitor }: WebhookCall,
  ): Promise<WebhookAnswer> {
    const start: Omit<TargetStart, 'target' | 'input'> = {
      workspaceId: webhook.workspaceId,
      runId,
      source: 'api',
      starter: { kind: 'webhook', id: webhook.id },
      actor: { kind: 'webhook', id: webhook.id, name: 'Webhook' },
      correlationId: runId,
      causationId: null,
      eventDepth: 0,
      keepInput: webhook.keepInput,
      hasFiles,
    };
    const target = webhookTarget(webhook);
    // Only functions return a result. A visitor always waits for it.
    if ((async && visitor === undefined) || !isFunction(target)) {
      await this.targets.start([{ ...start, target, input: params }]);
      return { status: 202, runId, body: { runId } };
    }
    const owned = await this.ownerOf(webhook);
    const request = { ...start, ...owned, functionId: target.ref, params, visitor, depth: 0 };
    const report = await this.runs.run(request, { repeatable });
    if (report.ok) return { status: 200, runId, body: { success: true, data: report.result } };
    return { status: 500, runId, body: { success: false, error: report.error } };
  }
}

/**
 * Returns the prefix of the idempotency keys of a webhook's deliveries. Each user of a site has a separate prefix, so
 * no user gets the stored response to another user's delivery. Visitors who are not signed in share a prefix.
 */
function deliveriesOf({ id }: Webhook, { visitor }: WebhookCall): string {
  if (visitor === undefined) return `delivery/${id}`;
  return `visitor-delivery/${id}/${visitor.projectId}/${visitor.person?.id ?? ''}`;
}

const isFunction = ({ kind }: Target) => kind === 'account_function' || kind === 'site_function';
