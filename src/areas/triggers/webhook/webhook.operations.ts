import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { StartableTargets } from '../../../engine/scopes/startable-targets.js';
import { Targets } from '../../../engine/scopes/targets.js';
import type { Target } from '../../../kernel/callers/target.js';
import { targetKindOf } from '../../../kernel/callers/target.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { Vault } from '../../../ports/vault.port.js';
import { accountFunctions, siteFunctions } from '../../functions/function/function.record.js';
import { ScheduleTrigger } from '../schedule/schedule-trigger.api.js';
import { switchesTrigger } from '../switch-trigger.js';
import { refuse } from '../triggers.refusals.js';
import { NewWebhooks } from './new-webhooks.js';
import { TargetTriggers, WebhookTrigger } from './target-triggers.js';
import { verificationRecord } from './verification-view.js';
import { deleteWebhook, switchWebhook } from './webhook.js';
import { type Webhook, webhooks, webhookTokenName } from './webhook.record.js';
import { WebhookItem, WebhookList } from './webhook-list.js';
import { WebhookSwitch } from './webhook-switch.api.js';

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
    url: { type: 'string', description: 'The URL that starts the target with a POST request.', password: true },
  },
} as const;

const ofFunction = {
  functionId: idField,
  kind: { type: 'string', enum: ['account', 'site'], optional: true, default: 'account' },
} as const;

const ofTarget = {
  targetKind: { type: 'string', enum: ['flow', 'specialist', 'agent'] },
  targetRef: { ...idField, description: 'The id of the flow or AI agent.' },
} as const;

const triggerLists = {
  fields: {
    webhooks: { type: 'array', items: () => WebhookTrigger },
    schedules: { type: 'array', items: () => ScheduleTrigger },
  },
} as const;

showsAs(webhooks, ({ workspaceId: _, tokenHash: __, verification, ...webhook }) => ({
  ...webhook,
  verification: verificationRecord(verification),
}));

export const webhookOperations = [
  command('automations/createWebhook', {
    ...declared,
    summary: 'Creates a secret URL that runs an active function.',
    answers: newWebhook,
    input: ofFunction,
    inject: [Targets, StartableTargets, NewWebhooks, WebhookSwitch],
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
    summary: 'Creates a secret URL that starts an active flow or AI agent.',
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
    { ...declared, summary: 'Activates or deactivates a webhook.' },
    webhooks,
    switchWebhook,
  ),
  command('automations/deleteWebhook', {
    ...declared,
    summary: 'Deletes a webhook. Its URL cannot be restored.',
    takesAway: true,
    outside: ['destroys secrets'],
    answers: success,
    input: { id: idField },
    inject: [Vault, RecordedSecrets],
    // The token and the secrets are destroyed after the deletion is recorded. Deliveries that arrive in between get the
    // same response as for an unknown token.
    handle: async ({ id }, call, vault, secrets) => {
      const decide = (webhook: Webhook | undefined) => (webhook ? deleteWebhook(webhook, 'asked') : []);
      await secrets.change(call, { aggregate: webhooks, id, decide });
      await vault.destroy(webhookTokenName(call.workspaceId, id));
      return { success: true };
    },
  }),
  query('automations/listTriggers', {
    ...declared,
    summary:
      'Lists the webhooks and schedules that start a function. For a function of a site, only site/listSchedules lists the schedules.',
    group: 'triggers',
    showsLinks: true,
    answers: triggerLists,
    input: ofFunction,
    inject: [Targets, TargetTriggers],
    handle: async (sent, call, targets, triggers) => {
      const target = functionTarget(sent);
      const { isActive } = (await targets.find(call.workspaceId, target)) ?? missingFunction(target);
      const found = await triggers.find(call, target, isActive);
      // The schedules of a site's function are omitted, because `site/listSchedules` lists them (settled question
      // Q-A41).
      return sent.kind === 'site' ? { ...found, schedules: [] } : found;
    },
  }),
  query('automations/listTargetTriggers', {
    ...beyond,
    summary: 'Lists the webhooks and schedules that start a flow or an AI agent.',
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
    summary: 'Lists all webhooks of the workspace, newest first, without their secret URLs.',
    showsLinks: true,
    answers: { list: WebhookItem },
    input: {},
    inject: [WebhookList],
    handle: (_, call, list) => list.find(call),
  }),
];

interface NamedFunction {
  readonly functionId: string;
  readonly kind?: 'account' | 'site';
}

const functionTarget = ({ functionId, kind }: NamedFunction): Target => ({
  kind: kind === 'site' ? 'site_function' : 'account_function',
  ref: functionId,
});

const missingFunction = ({ kind }: Target): never =>
  kind === 'site_function' ? siteFunctions.missing() : accountFunctions.missing();
