import { command, query } from '../../../engine/operation/bound-operation.js';
import { opensAccess, riskyWhen, success } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { shapeOf, typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { byOrder, channelPattern, wrongChannelPattern } from './channel-pattern.js';
import { SavedSiteRules } from './site-rules.api.js';
import type { SiteRules, SiteRulesEvent } from './site-rules.record.js';
import { SiteRulesChanges } from './site-rules-changes.js';

const declared = {
  source: 'Sites API, Access rules',
  group: 'access-rules',
  within: 'project',
  tools: 'granted',
} as const;
const reading = {
  ...declared,
  permission: 'site.read',
  input: { projectId: idField },
  inject: [SavedSiteRules],
} as const;
const changes = { ...declared, permission: 'site.edit', answers: success, inject: [SiteRulesChanges] } as const;
const condition = typed<Condition>()({
  type: 'any',
  optional: true,
  schema: { oneOf: [anyObject, { type: 'array', items: anyObject }] },
  must: 'a condition: an object or an array of rules',
  description: 'An access condition. If it is empty or omitted, only members with edit rights have access.',
});
const patternField = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: channelPattern },
  wrong: wrongChannelPattern,
  description:
    'A complete channel name, or a prefix followed by *, which matches any rest. A segment {self} matches the id of the user or guest who subscribes or publishes.',
});
const saved = { type: 'object', nullable: true, description: 'null if no rules are saved.' } as const;

const EmailRulesShape = shapeOf('EmailRulesShape', { send: condition });
const ProxyRulesShape = shapeOf('ProxyRulesShape', { execute: condition });
const ChannelRulesShape = shapeOf('ChannelRulesShape', {
  subscribe: condition,
  publish: {
    ...condition,
    description: 'An access condition. If omitted, only members of the workspace and functions may publish.',
  },
});
const ChannelRuleRecord = shapeOf('ChannelRuleRecord', {
  pattern: { type: 'string' },
  accessRules: { type: 'object', shape: () => ChannelRulesShape },
  description: { type: 'string', nullable: true },
  sortOrder: {
    type: 'integer',
    description: 'Rules are tried in ascending order. The first rule whose pattern matches applies.',
  },
});

export const siteRulesOperations = [
  query('site/getEmailAccessRules', {
    ...reading,
    summary: 'Returns the access rules for sending mail from pages of the site.',
    answers: { fields: { accessRules: { ...saved, shape: () => EmailRulesShape } } },
    handle: async ({ projectId }, { workspaceId }, rules) => ({
      accessRules: (await rules.of(workspaceId, projectId)).email,
    }),
  }),
  command('site/setEmailAccessRules', {
    ...changes,
    summary:
      "Sets who may send mail from pages of the site. The mail is sent under the owner's identity, so grant access narrowly. Does not affect functions.",
    risky: opensAccess,
    input: { projectId: idField, accessRules: { type: 'object', shape: () => EmailRulesShape } },
    handle: ({ projectId, accessRules }, call, rules) => rules.setEmail(call, projectId, accessRules),
  }),
  query('site/getServerProxyAccessRules', {
    ...reading,
    summary: "Returns the access rules for the site's server proxy.",
    answers: { fields: { accessRules: { ...saved, shape: () => ProxyRulesShape } } },
    handle: async ({ projectId }, { workspaceId }, rules) => ({
      accessRules: (await rules.of(workspaceId, projectId)).proxy,
    }),
  }),
  command('site/setServerProxyAccessRules', {
    ...changes,
    summary:
      "Sets who may use the site's server proxy. If accessRules is omitted, the saved rules are cleared and only members with edit rights have access.",
    risky: opensAccess,
    input: { projectId: idField, accessRules: { type: 'object', shape: () => ProxyRulesShape, optional: true } },
    handle: ({ projectId, accessRules }, call, rules) => rules.setProxy(call, projectId, accessRules),
  }),
  query('site/getChannelAccessRules', {
    ...reading,
    summary: 'Returns the channel rules of the site, in the order in which they are tried.',
    answers: {
      fields: {
        accessRules: {
          type: 'array',
          items: () => ChannelRuleRecord,
          nullable: true,
          description:
            'null if no rules are saved. Any signed-in user may then subscribe to any channel except those of guests.',
        },
      },
    },
    handle: async ({ projectId }, { workspaceId }, rules) => {
      const { channels } = await rules.of(workspaceId, projectId);
      return { accessRules: channels.length === 0 ? null : byOrder(channels) };
    },
  }),
  command('site/setChannelAccessRules', {
    ...changes,
    summary:
      'Sets who may subscribe and publish to the channels that match a pattern. Replaces the rules saved for the same pattern.',
    risky: opensAccess,
    input: {
      projectId: idField,
      pattern: patternField,
      accessRules: { type: 'object', shape: () => ChannelRulesShape },
      description: { type: 'string', maxLength: 2_000, optional: true },
      sortOrder: {
        type: 'integer',
        minimum: -1_000_000,
        maximum: 1_000_000,
        optional: true,
        description: 'Rules are tried in ascending order. Default: 0.',
      },
    },
    handle: (input, call, rules) => rules.setChannel(call, input),
  }),
  command('site/deleteChannelAccessRules', {
    ...changes,
    summary:
      'Deletes the rules of a pattern. Any signed-in user may then subscribe to its channels, unless another pattern matches.',
    takesAway: true,
    input: { projectId: idField, pattern: { type: 'string', minLength: 1, maxLength: 200 } },
    handle: ({ projectId, pattern }, call, rules) => rules.deleteChannel(call, projectId, pattern),
  }),
  command('site/setRealtimeGuestAccess', {
    ...changes,
    summary: 'Sets whether guests may subscribe to their own channels, guest:{id}:*.',
    risky: riskyWhen<SiteRules, SiteRulesEvent>(
      (event) => event.type === 'RealtimeGuestAccessSet' && event.data.enabled,
    ),
    input: { projectId: idField, enabled: { type: 'boolean' } },
    handle: ({ projectId, enabled }, call, rules) => rules.setGuests(call, projectId, enabled),
  }),
];
