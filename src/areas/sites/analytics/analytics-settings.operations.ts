import { query } from '../../../engine/operation/bound-operation.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { projects } from '../project/project.record.js';
import { updateAnalytics } from './analytics-settings.js';
import { analyticsOf } from './analytics-settings.record.js';

const declared = {
  source: 'Sites API, Publishing, analytics',
  group: 'analytics',
  within: 'project',
  tools: 'granted',
} as const;
const shown = { type: 'string', nullable: true, description: 'null if none is set. The ids are public.' } as const;
const cleared = 'null clears it.';

class AnalyticsSettingsShape {
  @Field(shown) primaryAnalyticsId!: string | null;
  @Field(shown) secondaryAnalyticsId!: string | null;
  @Field({ type: 'boolean', description: 'Whether visitors are asked for consent before they are tracked.' })
  consentBanner!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true, description: 'null if the site is not published.' })
  publishedAt!: string | null;
}

export const analyticsSettingsOperations = [
  query('site/getAnalyticsSettings', {
    ...declared,
    summary: 'Returns the analytics ids of a site, and whether its visitors are asked for consent.',
    permission: 'site.read',
    answers: { record: AnalyticsSettingsShape },
    input: { projectId: idField },
    inject: [Reads],
    handle: async ({ projectId }, call, reads) => {
      const project = await reads.one(call, projects, projectId);
      return { ...analyticsOf(project), publishedAt: project.published?.at ?? null };
    },
  }),
  recordCommand('site/updateAnalyticsSettings', {
    ...declared,
    summary: 'Replaces both analytics ids of a site. The change takes effect with the next publish.',
    permission: 'site.edit',
    answers: {
      fields: {
        ok: { type: 'boolean', description: 'Always true.' },
        needsPublish: { type: 'boolean', description: 'Always true.' },
      },
    },
    input: {
      projectId: idField,
      primaryAnalyticsId: {
        type: 'string',
        nullable: true,
        pattern: /^G-[A-Z0-9]{10}$/,
        must: 'G, a hyphen and ten upper-case letters or digits, such as G-AB12CD34EF, or null',
        description: cleared,
      },
      secondaryAnalyticsId: {
        type: 'string',
        nullable: true,
        pattern: /^[A-Za-z0-9]{5,20}$/,
        must: '5 to 20 letters and digits, such as abc12def34, or null',
        description: cleared,
      },
      consentBanner: {
        type: 'boolean',
        optional: true,
        description:
          'Whether visitors are asked for consent before they are tracked. If omitted, the setting is unchanged; initially it is true.',
      },
    },
    record: projects,
    id: ({ projectId }) => projectId,
    decide: (project, { projectId: _, ...sent }) => updateAnalytics(project, sent),
    answer: () => ({ ok: true, needsPublish: true }),
  }),
];
