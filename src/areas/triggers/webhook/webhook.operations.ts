import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { MissedOccurrences } from '../schedule/missed-occurrences.api.js';
import { switchesTrigger } from '../switch-trigger.js';
import { VerificationRecord } from './verification.operations.js';
import { switchWebhook } from './webhook.js';
import { webhooks } from './webhook.record.js';

const source = 'Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const verification = { type: 'object', shape: () => VerificationRecord, nullable: true } as const;
const keepInput = { type: 'boolean', description: 'Failed runs can be replayed: see setTriggerReplay.' } as const;
const kind = { type: 'string', enum: ['account', 'site'], optional: true, default: 'account' } as const;

const newWebhook = {
  fields: {
    id: { type: 'string' },
    token: { type: 'string', description: 'The last part of the URL.', password: true },
    url: { type: 'string', description: 'What starts it: POST to it.', password: true },
  },
} as const;

@Operation('automations/createWebhook', {
  summary: 'Gives an active function a secret URL that runs it.',
  source,
  group: 'webhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: newWebhook,
})
export class CreateWebhook {
  @Field(id) functionId!: string;
  @Field(kind) kind?: 'account' | 'site';
}

/** What a webhook can start beside functions. */
const targetKind = { type: 'string', enum: ['flow', 'specialist', 'agent'] } as const;
const targetRef = { ...id, description: 'The id of the flow or the AI agent.' } as const;

@Operation('automations/createTargetWebhook', {
  summary: 'Gives an active flow or AI agent a secret URL that starts it.',
  source: 'Beyond the Automations API, Triggers and runs',
  group: 'webhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: newWebhook,
})
export class CreateTargetWebhook {
  @Field(targetKind) targetKind!: 'flow' | 'specialist' | 'agent';
  @Field(targetRef) targetRef!: string;
}

@Operation('automations/setWebhookActive', {
  summary: 'Switches a webhook on or off.',
  source,
  group: 'webhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: success,
})
export class SetWebhookActive {
  @Field(id) id!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
}

@Operation('automations/deleteWebhook', {
  summary: 'Deletes a webhook; its URL is gone for good.',
  source,
  group: 'webhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteWebhook {
  @Field(id) id!: string;
}

export class WebhookTrigger {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    password: true,
    description: 'As secret as a password. null: you may not start the target yourself.',
  })
  token!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field(verification) verification!: VerificationRecord | null;
  @Field(keepInput) keepInput!: boolean;
}

/** Automations API, Schedule trigger, extended with blocked, overlap and missed. */
export class ScheduleTrigger {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) cronExpression!: string;
  @Field({ type: 'string' }) timezone!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field({ type: 'string', format: 'date-time', nullable: true, description: 'Null while it or the function is off.' })
  nextTrigger!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Why it starts nothing although it is active.' })
  blocked!: string | null;
  @Field({ type: 'string', enum: ['allow', 'skip'] }) overlap!: string;
  @Field(keepInput) keepInput!: boolean;
  @Field({
    type: 'object',
    shape: () => MissedOccurrences,
    nullable: true,
    description: 'How often nothing was running to fire it, and when last.',
  })
  missed!: MissedOccurrences | null;
}

const triggerLists = {
  fields: {
    webhooks: { type: 'array', items: () => WebhookTrigger },
    schedules: { type: 'array', items: () => ScheduleTrigger },
  },
} as const;

@Operation('automations/listTriggers', {
  summary: 'Lists the live links and schedules that start a function.',
  source,
  group: 'triggers',
  effect: 'query',
  permission: 'functions.edit',
  tools: 'granted',
  showsLinks: true,
  answers: triggerLists,
})
export class ListTriggers {
  @Field(id) functionId!: string;
  @Field(kind) kind?: 'account' | 'site';
}

@Operation('automations/listTargetTriggers', {
  summary: 'Lists the live links and schedules that start a flow or an AI agent.',
  source: 'Beyond the Automations API, Triggers and runs',
  group: 'triggers',
  effect: 'query',
  permission: 'functions.edit',
  tools: 'granted',
  showsLinks: true,
  answers: triggerLists,
})
export class ListTargetTriggers {
  @Field(targetKind) targetKind!: 'flow' | 'specialist' | 'agent';
  @Field(targetRef) targetRef!: string;
}

/** Automations API, Item of `listAllWebhooks`. */
export class WebhookItem {
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
  @Field(verification) verification!: VerificationRecord | null;
  @Field(keepInput) keepInput!: boolean;
}

@Operation('automations/listAllWebhooks', {
  summary: 'Lists every webhook of the workspace, newest first, without its secret link.',
  source,
  group: 'webhooks',
  effect: 'query',
  permission: 'functions.edit',
  tools: 'granted',
  showsLinks: true,
  answers: { list: WebhookItem },
})
export class ListAllWebhooks {}

export const webhookHandlers = [switchesTrigger(SetWebhookActive, webhooks, switchWebhook)];
