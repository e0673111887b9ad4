import { Operation, riskyWhen } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { opensPage } from './page.js';
import type { Page, PageEvent } from './page.record.js';

const source = 'Sites API, Access rules';
const group = 'access-rules';

export class PageRulesShape {
  @Field({
    type: 'any',
    optional: true,
    schema: { oneOf: [anyObject, { type: 'array', items: anyObject }] },
    must: 'a condition: an object or an array of rules',
    description: 'A condition without function rules and rules about rows. Empty or left out: nobody but the owner.',
  })
  read?: Condition;
}

@Operation('site/getPageAccessRules', {
  summary: 'Returns who may read a page.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: {
    fields: {
      accessRules: {
        type: 'object',
        shape: () => PageRulesShape,
        nullable: true,
        description: 'null: none are saved, and the page follows isProtected and requiredRole.',
      },
    },
  },
})
export class GetPageAccessRules {
  @Field(idField) pageId!: string;
}

@Operation('site/setPageAccessRules', {
  summary: 'Sets who may read a page, and brings isProtected and requiredRole in line with it.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  answers: {
    fields: {
      success: { type: 'boolean' },
      signInNote: {
        type: 'string',
        optional: true,
        description: "While the site's sign-in is off: the rules are saved and not checked yet.",
      },
    },
  },
  risky: riskyWhen<Page, PageEvent>(opensPage),
})
export class SetPageAccessRules {
  @Field(idField) pageId!: string;
  @Field({ type: 'object', shape: () => PageRulesShape }) accessRules!: PageRulesShape;
}
