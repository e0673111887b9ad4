import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { suppressionReasons } from './suppression.record.js';
import { Suppressions } from './suppressions.api.js';

class SuppressionRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'null if the user was deleted, or if no user of the site had the address.',
  })
  email!: string | null;
  @Field({ type: 'string', enum: suppressionReasons }) reason!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'The campaign whose mail caused the suppression. null if none did.',
  })
  campaignId!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
}

const declared = {
  source: 'Sites API, Campaigns and suppressions',
  group: 'suppressions',
  permission: 'site.users',
  tools: 'granted',
  within: 'project',
} as const;
const own = { ...declared, source: 'Supplementary, sites, Mail of a site' } as const;
const address = { projectId: idField, email: { type: 'string', minLength: 1, maxLength: 320 } } as const;

export const suppressionOperations = [
  query('site/listSuppressions', {
    ...declared,
    summary: 'Lists the email addresses that campaigns of a site skip, newest first.',
    answers: { list: SuppressionRecord },
    input: {
      projectId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 1_000, optional: true, default: 1_000 },
      before: { ...idField, optional: true, description: 'Id of the last entry of the previous page.' },
    },
    inject: [Suppressions],
    handle: ({ projectId, before, limit = 1_000 }, call, all) => all.list(call.workspaceId, projectId, before, limit),
  }),
  command('site/removeSuppression', {
    ...declared,
    summary:
      'Removes an email address from the suppressions, so that campaigns are sent to it again. Only use this if its owner has asked for it.',
    takesAway: true,
    risky: true,
    answers: success,
    input: address,
    inject: [Suppressions],
    handle: async ({ projectId, email }, call, all) => {
      await all.remove(call, projectId, email);
      return { success: true };
    },
  }),
  command('site/addSuppression', {
    ...own,
    summary: 'Suppresses an email address, for example after a complaint. Campaigns of the site then skip it.',
    answers: success,
    input: {
      ...address,
      reason: {
        type: 'string',
        enum: ['bounced', 'complained', 'added'],
        optional: true,
        default: 'added',
      },
    },
    inject: [Suppressions],
    handle: async ({ projectId, email, reason = 'added' }, call, all) => {
      await all.addAddress(call, projectId, email, { reason: reason as 'added', campaignId: null });
      return { success: true };
    },
  }),
];
