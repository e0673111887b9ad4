import { Environment } from '../../../../config/environment.js';
import { recordCommand } from '../../../../engine/records/record-command.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Field } from '../../../../kernel/field/field.js';
import { idField, nameField } from '../../../../kernel/field/plain-text.js';
import { termsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import { projects } from '../project.record.js';
import { republishOf, updateProject } from '../update-project.api.js';
import { mobilePermissions, orientations } from './project-settings.record.js';
import {
  brandKitField,
  bundleIdentifierField,
  colorField,
  descriptionField,
  imageField,
} from './settings-fields.api.js';

const flag = { type: 'boolean', optional: true } as const;
const text = { type: 'string', maxLength: 10_000, optional: true } as const;

class UpdatedProject {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({
    ...flag,
    description:
      'Whether visitors see the change only after the next publish. Present if the site is published and the call sends a setting that is part of a publish.',
  })
  needsRepublish?: boolean;
  @Field({ type: 'string', optional: true }) republishNote?: string;
}

export const projectSettingsOperations = [
  recordCommand('site/updateProject', {
    summary: 'Updates the given settings of a project. Its address does not change.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.edit',
    tools: 'granted',
    answers: { record: UpdatedProject },
    input: {
      id: idField,
      name: { ...nameField, optional: true },
      description: { ...descriptionField, optional: true },
      color: { ...colorField, optional: true },
      logo: imageField('200x50 PNG or SVG recommended.'),
      favicon: imageField('32x32 PNG or ICO recommended.'),
      aiKnowledge: { ...text, maxLength: 50_000, description: 'Information about the project that AI agents receive.' },
      marketplaceThumbnail: imageField('400x300 recommended.'),
      marketplaceCover: imageField('1200x400 recommended.'),
      marketplaceDescription: text,
      appDisplayName: { ...nameField, optional: true },
      bundleIdentifier: { ...bundleIdentifierField, optional: true },
      appVersion: {
        type: 'string',
        pattern: /^(?:[0-9A-Za-z][0-9A-Za-z.+_-]{0,49})?$/,
        optional: true,
        description: '1.2.3',
      },
      showServiceBranding: {
        ...flag,
        description: "Whether the 'built with' badge is shown. Hiding it requires a paid plan.",
      },
      dependencies: {
        type: 'object',
        maxBytes: 64 * 1024,
        optional: true,
        description:
          'Replaces the whole set `{ <package>: <version> }`. Versions are those that a registry resolves: 1.2.3, ^1.2.0, 1.x, latest. React, the bundler, the CSS toolchain and the compiler are pinned and cannot be included.',
      },
      brandKit: { ...brandKitField, optional: true },
      marketplaceEnabled: flag,
      pwaEnabled: { ...flag, description: 'Whether visitors can install the site as an app.' },
      buildNumber: { type: 'integer', minimum: 0, maximum: 2_100_000_000, optional: true },
      appIcon: imageField('1024x1024 PNG.'),
      splashScreen: imageField('1284x2778 PNG.'),
      orientation: { type: 'string', enum: orientations, optional: true },
      mobilePermissions: { type: 'array', items: 'string', enum: mobilePermissions, maxItems: 50, optional: true },
    },
    record: projects,
    id: ({ id }) => id,
    inject: [Reads, Environment],
    prepare: async ({ id: _, ...sent }, { workspaceId }, reads, { upgradeUrl }) => {
      const { plan } = await termsOf(reads, workspaceId);
      return { sent, plan, upgradeUrl };
    },
    decide: (project, _, __, { sent, ...about }) => updateProject(project, sent, about),
    answer: (after, { sent }) => {
      const project = after ?? projects.missing();
      return { id: project.id, name: project.name, ...republishOf(project, sent) };
    },
  }),
];
