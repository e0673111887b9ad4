import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { brandKitField, bundleIdentifierField, colorField, descriptionField } from './project.operations.js';
import { mobilePermissions, type Orientation, orientations } from './project-settings.record.js';
import { imageField } from './settings-fields.api.js';

const source = 'Sites API, Projects and settings';
const group = 'projects';
const flag = { type: 'boolean', optional: true } as const;
const text = { type: 'string', maxLength: 10_000, optional: true } as const;

export class UpdatedProject {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({
    ...flag,
    description: 'After a change of what a publish puts into the site: whether it differs from what is published.',
  })
  needsRepublish?: boolean;
  @Field({ type: 'string', optional: true }) republishNote?: string;
}

@Operation('site/updateProject', {
  summary: 'Changes the settings of a project that are sent; its address stays.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  tools: 'granted',
  answers: { record: UpdatedProject },
})
export class UpdateProject {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({ ...descriptionField, optional: true }) description?: string;
  @Field({ ...colorField, optional: true }) color?: string;
  @Field(imageField('200x50 PNG or SVG recommended.')) logo?: string;
  @Field(imageField('32x32 PNG or ICO recommended.')) favicon?: string;
  @Field({ ...text, maxLength: 50_000, description: 'What agents are told of the project.' }) aiKnowledge?: string;
  @Field(imageField('400x300 recommended.')) marketplaceThumbnail?: string;
  @Field(imageField('1200x400 recommended.')) marketplaceCover?: string;
  @Field(text) marketplaceDescription?: string;
  @Field({ ...nameField, optional: true }) appDisplayName?: string;
  @Field({ ...bundleIdentifierField, optional: true }) bundleIdentifier?: string;
  @Field({ type: 'string', pattern: /^(?:[0-9A-Za-z][0-9A-Za-z.+_-]{0,49})?$/, optional: true, description: '1.2.3' })
  appVersion?: string;
  @Field({ ...flag, description: "The 'built with' badge; without it needs a paid plan." })
  showServiceBranding?: boolean;
  @Field({
    type: 'object',
    maxBytes: 64 * 1024,
    optional: true,
    description:
      'The whole set `{ <package>: <version> }`; a version is one of the registry: 1.2.3, ^1.2.0, 1.x, latest. React, the bundler, the CSS toolchain and the compiler are pinned.',
  })
  dependencies?: JsonObject;
  @Field({ ...brandKitField, optional: true }) brandKit?: JsonObject;
  @Field(flag) marketplaceEnabled?: boolean;
  @Field({ ...flag, description: 'The site can be installed as an app.' }) pwaEnabled?: boolean;
  @Field({ type: 'integer', minimum: 0, maximum: 2_100_000_000, optional: true }) buildNumber?: number;
  @Field(imageField('1024x1024 PNG.')) appIcon?: string;
  @Field(imageField('1284x2778 PNG.')) splashScreen?: string;
  @Field({ type: 'string', enum: orientations, optional: true }) orientation?: Orientation;
  @Field({ type: 'array', items: 'string', enum: mobilePermissions, maxItems: 50, optional: true })
  mobilePermissions?: readonly string[];
}
