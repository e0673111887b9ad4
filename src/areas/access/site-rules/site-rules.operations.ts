import { Operation, riskyWhen, success } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { channelPattern, wrongPattern } from './channel-pattern.js';
import type { SiteRules, SiteRulesEvent } from './site-rules.record.js';

const source = 'Sites API, Access rules';
const group = 'access-rules';
const within = 'project' as const;
const asks = { source, group, within, tools: 'granted', effect: 'query', permission: 'site.read' } as const;
const changes = { source, group, within, tools: 'granted', effect: 'command', permission: 'site.edit' } as const;
const condition = {
  type: 'any',
  optional: true,
  schema: { oneOf: [anyObject, { type: 'array', items: anyObject }] },
  must: 'a condition: an object or an array of rules',
  description: 'A condition. Empty or left out: nobody but the owner.',
} as const;
const patternField = {
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: channelPattern },
  wrong: wrongPattern,
  description: 'A whole name, one that ends in * for any rest, or with {self} for the id of whoever listens.',
} as const;
const saved = { type: 'object', nullable: true, description: 'null: none are saved.' } as const;

export class EmailRulesShape {
  @Field(condition) send?: Condition;
}

export class ProxyRulesShape {
  @Field(condition) execute?: Condition;
}

export class ChannelRulesShape {
  @Field(condition) subscribe?: Condition;
  @Field({ ...condition, description: 'A condition. Left out: members of the workspace and functions alone.' })
  publish?: Condition;
}

export class ChannelRuleRecord {
  @Field({ type: 'string' }) pattern!: string;
  @Field({ type: 'object', shape: () => ChannelRulesShape }) accessRules!: ChannelRulesShape;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'integer', description: 'Ascending: the first pattern that fits decides.' }) sortOrder!: number;
}

class OfProject {
  @Field(idField) projectId!: string;
}

@Operation('site/getEmailAccessRules', {
  ...asks,
  summary: 'Returns who may send mail from pages of the site.',
  answers: { fields: { accessRules: { ...saved, shape: () => EmailRulesShape } } },
})
export class GetEmailAccessRules extends OfProject {}

@Operation('site/setEmailAccessRules', {
  ...changes,
  summary:
    "Sets who may send mail from pages of the site. It goes out under the owner's identity, so open it narrowly; functions are not affected.",
  answers: success,
  risky: opensAccess,
})
export class SetEmailAccessRules extends OfProject {
  @Field({ type: 'object', shape: () => EmailRulesShape }) accessRules!: EmailRulesShape;
}

@Operation('site/getServerProxyAccessRules', {
  ...asks,
  summary: "Returns who may use the site's server proxy.",
  answers: { fields: { accessRules: { ...saved, shape: () => ProxyRulesShape } } },
})
export class GetServerProxyAccessRules extends OfProject {}

@Operation('site/setServerProxyAccessRules', {
  ...changes,
  summary: "Sets who may use the site's server proxy; without accessRules, clears them: the owner alone.",
  answers: success,
  risky: opensAccess,
})
export class SetServerProxyAccessRules extends OfProject {
  @Field({ type: 'object', shape: () => ProxyRulesShape, optional: true }) accessRules?: ProxyRulesShape;
}

@Operation('site/getChannelAccessRules', {
  ...asks,
  summary: 'Returns the channel rules of the site in the order in which they are tried.',
  answers: {
    fields: {
      accessRules: {
        type: 'array',
        items: () => ChannelRuleRecord,
        nullable: true,
        description: 'null: none are saved, and any signed-in user may listen to any channel.',
      },
    },
  },
})
export class GetChannelAccessRules extends OfProject {}

@Operation('site/setChannelAccessRules', {
  ...changes,
  summary: 'Sets who may listen to the channels that fit a pattern; replaces the rules of the same pattern.',
  answers: success,
  risky: opensAccess,
})
export class SetChannelAccessRules extends OfProject {
  @Field(patternField) pattern!: string;
  @Field({ type: 'object', shape: () => ChannelRulesShape }) accessRules!: ChannelRulesShape;
  @Field({ type: 'string', maxLength: 2_000, optional: true }) description?: string;
  @Field({ type: 'integer', minimum: -1_000_000, maximum: 1_000_000, optional: true, description: 'Default: 0.' })
  sortOrder?: number;
}

@Operation('site/deleteChannelAccessRules', {
  ...changes,
  summary: 'Deletes the rules of a pattern: its channels are open to any signed-in user again.',
  takesAway: true,
  answers: success,
})
export class DeleteChannelAccessRules extends OfProject {
  @Field({ type: 'string', minLength: 1, maxLength: 200 }) pattern!: string;
}

@Operation('site/setRealtimeGuestAccess', {
  ...changes,
  summary: 'Lets guests listen to their own channels guest:{id}:*, or no longer.',
  risky: riskyWhen<SiteRules, SiteRulesEvent>((event) => event.type === 'RealtimeGuestAccessSet' && event.data.enabled),
  answers: success,
})
export class SetRealtimeGuestAccess extends OfProject {
  @Field({ type: 'boolean' }) enabled!: boolean;
}
