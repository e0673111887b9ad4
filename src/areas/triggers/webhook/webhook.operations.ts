import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { type KnownTarget, Targets } from '../../../engine/scopes/targets.js';
import { targetKindOf } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { TriggerUse } from '../../functions/run/run.record.js';
import { Sites } from '../../sites/project/sites.api.js';
import { switchesTrigger } from '../switch-trigger.js';
import { functionTarget, missingFunction } from './function-target.js';
import { NewWebhooks } from './new-webhooks.js';
import {
  keepInputField,
  ScheduleTrigger,
  TargetTriggers,
  verificationField,
  WebhookTrigger,
} from './target-triggers.js';
import { type VerificationRecord, verificationRecord } from './verification-view.js';
import { deleteWebhook, switchWebhook } from './webhook.js';
import { targetOf, type Webhook, webhooks, webhookTokenName } from './webhook.record.js';
import { WebhookSwitch } from './webhook-switch.api.js';
import { lasting } from './webhook-verification.js';

const declared = {
  source: 'Automations API, Triggers and runs',
  group: 'webhooks',
  permission: 'functions.edit',
  tools: 'granted',
} as const;
const beyond = { ...declared, source: 'Beyond the Automations API, Triggers and runs' } as const;

const newWebhook = {
  fields: {
    id: { type: 'string' },
    token: { type: 'string', description: 'The last part of the URL.', password: true },
    url: { type: 'string', description: 'What starts it: POST to it.', password: true },
  },
} as const;

const ofFunction = {
  functionId: idField,
  kind: { type: 'string', enum: ['account', 'site'], optional: true, default: 'account' },
} as const;

/** What a webhook can start beside functions. */
const ofTarget = {
  targetKind: { type: 'string', enum: ['flow', 'specialist', 'agent'] },
  targetRef: { ...idField, description: 'The id of the flow or the AI agent.' },
} as const;

const triggerLists = {
  fields: {
    webhooks: { type: 'array', items: () => WebhookTrigger },
    schedules: { type: 'array', items: () => ScheduleTrigger },
  },
} as const;

/** Automations API, Item of `listAllWebhooks`. */
class WebhookItem {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', enum: ['flow', 'specialist', 'account_function', 'site_function'] }) lane!: string;
  @Field({ type: 'string', nullable: true }) siteId!: string | null;
  @Field({ type: 'string', nullable: true }) siteName!: string | null;
  @Field({ type: 'string' }) targetId!: string;
  @Field({ type: 'string' }) targetName!: string;
  @Field({ type: 'string', nullable: true }) triggerId!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field(verificationField) verification!: VerificationRecord | null;
  @Field(keepInputField) keepInput!: boolean;
}

/** Without its token, which the vault has. */
showsAs(webhooks, ({ workspaceId: _, tokenHash: __, verification, ...webhook }) => ({
  ...webhook,
  verification: verificationRecord(verification),
}));

export const webhookOperations = [
  command('automations/createWebhook', {
    ...declared,
    summary: 'Gives an active function a secret URL that runs it.',
    answers: newWebhook,
    input: ofFunction,
    inject: [Targets, StartableTargets, NewWebhooks, WebhookSwitch],
    // The function must exist and be active, and the caller must be allowed to start it.
    handle: async (sent, call, targets, startable, newWebhooks, siteWebhooks) => {
      const target = functionTarget(sent);
      await siteWebhooks.mustBeOn(call.workspaceId, target.kind);
      const fn = (await targets.find(call.workspaceId, target)) ?? missingFunction(target);
      await startable.check(call, target);
      if (!fn.isActive) return refuse('target-inactive', { name: fn.name });
      return newWebhooks.create(call, target);
    },
  }),
  command('automations/createTargetWebhook', {
    ...beyond,
    summary: 'Gives an active flow or AI agent a secret URL that starts it.',
    answers: newWebhook,
    input: ofTarget,
    inject: [StartableTargets, NewWebhooks],
    handle: async ({ targetKind, targetRef: ref }, call, targets, newWebhooks) => {
      const target = { kind: targetKindOf(targetKind), ref };
      const { name, isActive } = await targets.require(call, target);
      if (!isActive) return refuse('target-kind-inactive', { kind: target.kind, name });
      return newWebhooks.create(call, target);
    },
  }),
  switchesTrigger(
    'automations/setWebhookActive',
    { ...declared, summary: 'Switches a webhook on or off.' },
    webhooks,
    switchWebhook,
  ),
  command('automations/deleteWebhook', {
    ...declared,
    summary: 'Deletes a webhook; its URL is gone for good.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    inject: [Vault, RecordedSecrets],
    // The token and the secrets are destroyed after the event. A delivery in between is answered like one with an unknown
    // token.
    handle: async ({ id }, call, vault, secrets) => {
      const decide = (webhook: Webhook | undefined) => (webhook ? deleteWebhook(webhook, 'asked') : []);
      await secrets.change(call, { aggregate: webhooks, id, decide });
      await vault.destroy(webhookTokenName(call.workspaceId, id));
      return { success: true };
    },
  }),
  query('automations/listTriggers', {
    ...declared,
    summary: 'Lists the live links and schedules that start a function.',
    group: 'triggers',
    showsLinks: true,
    answers: triggerLists,
    input: ofFunction,
    inject: [Targets, TargetTriggers],
    handle: async (sent, call, targets, triggers) => {
      const target = functionTarget(sent);
      const { isActive } = (await targets.find(call.workspaceId, target)) ?? missingFunction(target);
      const found = await triggers.find(call, target, isActive);
      // The schedules of a site's function are in site/listSchedules (settled question Q-A41).
      return sent.kind === 'site' ? { ...found, schedules: [] } : found;
    },
  }),
  query('automations/listTargetTriggers', {
    ...beyond,
    summary: 'Lists the live links and schedules that start a flow or an AI agent.',
    group: 'triggers',
    showsLinks: true,
    answers: triggerLists,
    input: ofTarget,
    inject: [Targets, TargetTriggers],
    handle: async ({ targetKind, targetRef: ref }, call, targets, triggers) => {
      const target = { kind: targetKindOf(targetKind), ref };
      const { isActive } = await targets.require(call.workspaceId, target);
      return triggers.find(call, target, isActive);
    },
  }),
  query('automations/listAllWebhooks', {
    ...declared,
    summary: 'Lists every webhook of the workspace, newest first, without its secret link.',
    showsLinks: true,
    answers: { list: WebhookItem },
    input: {},
    inject: [Reads, Targets, Sites, Clock, Scopes],
    handle: async (_, call, reads, allTargets, sites, clock, scopes): Promise<readonly WebhookItem[]> => {
      const { workspaceId } = call;
      const [all, uses] = await Promise.all([
        reads.find<Webhook>(workspaceId, 'webhooks', { sort: [['createdAt', 'desc']] }),
        reads.find<TriggerUse>(workspaceId, 'triggerUses'),
      ]);
      const found = await scopes.allowed(call, all);
      const targets = await targetsOf(allTargets, workspaceId, found);
      const names = await siteNames(sites, workspaceId, [...targets.values()]);
      const used = new Map(uses.map(({ id, lastTriggered }) => [id, lastTriggered]));
      const now = clock.now();
      return found.flatMap((webhook) => {
        const { id, targetKind: lane, targetRef: targetId, isActive, createdAt, keepInput } = webhook;
        const known = targets.get(targetId);
        if (known === undefined) return [];
        const { name: targetName, projectId: siteId = null } = known;
        const lastTriggered = used.get(id) ?? null;
        const siteName = siteId === null ? null : (names.get(siteId) ?? null);
        const target = { lane, siteId, siteName, targetId, targetName, triggerId: null };
        const verification = verificationRecord(lasting(webhook.verification, now));
        return [{ id, ...target, isActive, lastTriggered, createdAt, verification, keepInput }];
      });
    },
  }),
];

async function siteNames(
  sites: Sites,
  workspaceId: string,
  targets: readonly KnownTarget[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const ids = new Set(targets.flatMap(({ projectId }) => projectId ?? []));
  const names = [...ids].map(async (id) => [id, await sites.nameOf(workspaceId, id)] as const);
  return new Map(await Promise.all(names));
}

/** By id. Deleted targets are left out. */
async function targetsOf(
  all: Targets,
  workspaceId: string,
  found: readonly Webhook[],
): Promise<ReadonlyMap<string, KnownTarget>> {
  const targets = new Map(found.map((webhook) => [webhook.targetRef, targetOf(webhook)]));
  const known = await Promise.all(
    [...targets.values()].map(async (target) => ({ target, is: await all.find(workspaceId, target) })),
  );
  return new Map(known.flatMap(({ target, is }) => (is === undefined ? [] : [[target.ref, is] as const])));
}
