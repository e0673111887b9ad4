import { Operation, success } from '../../../engine/operation/operation.js';
import { anyObject } from '../../../engine/operation/schema.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { componentTypes } from '../component/component.record.js';
import type { TemplateVariable } from '../email-template/email-template.record.js';
import { type Snapshot, snapshotKinds } from './snapshot.record.js';
import { cursorPattern, positionOf } from './snapshot-cursor.js';

const source = 'Sites API, Snapshots';
const group = 'snapshots';
const text = { type: 'string' } as const;
const nullableText = { type: 'string', nullable: true } as const;
const flag = { type: 'boolean' } as const;
const cursorField = {
  type: 'any',
  schema: { type: 'string', pattern: cursorPattern },
  wrong: (value: unknown) =>
    typeof value === 'string' && positionOf(value) !== undefined ? undefined : 'must be the nextCursor of an answer',
  optional: true,
  description: 'The nextCursor of the page before.',
} as const;
const nextCursor = { type: 'string', nullable: true, description: 'null: nothing is left.' } as const;

export class ChangedFile {
  @Field({ ...text, description: 'page, component or emailTemplate.' }) kind!: string;
  @Field(text) id!: string;
  @Field({ ...text, description: 'As it is now, or was when it was deleted.' }) name!: string;
  @Field({ ...nullableText, description: 'Of a page.' }) path!: string | null;
  @Field({ type: 'string', enum: ['created', 'updated', 'deleted'] }) change!: 'created' | 'updated' | 'deleted';
}

export class SnapshotAuthor {
  @Field(text) kind!: string;
  @Field(text) id!: string;
  @Field(text) name!: string;
}

export class SnapshotRow {
  @Field(text) id!: string;
  @Field({ type: 'integer', description: 'Counts from 1 in the project.' }) number!: number;
  @Field({ ...nullableText, description: 'The commitMessage of the change.' }) label!: string | null;
  @Field({ type: 'string', enum: snapshotKinds }) kind!: Snapshot['kind'];
  @Field({ type: 'object', shape: () => SnapshotAuthor }) author!: SnapshotAuthor;
  @Field(text) createdAt!: string;
  @Field({ type: 'array', items: () => ChangedFile }) changedFiles!: readonly ChangedFile[];
}

@Operation('site/listSnapshots', {
  summary: 'Lists the snapshots of a project, newest first: one for every change of its content.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { fields: { snapshots: { type: 'array', items: () => SnapshotRow }, nextCursor } },
})
export class ListSnapshots {
  @Field(idField) projectId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field(cursorField) cursor?: string;
}

export class SnapshotPage {
  @Field(text) id!: string;
  @Field(text) name!: string;
  @Field(text) path!: string;
  @Field(nullableText) title!: string | null;
  @Field(nullableText) description!: string | null;
  @Field(text) content!: string;
  @Field(nullableText) layout!: string | null;
  @Field(flag) isHomePage!: boolean;
  @Field({ type: 'number' }) sortOrder!: number;
  @Field(flag) isDraft!: boolean;
  @Field(flag) isProtected!: boolean;
  @Field(nullableText) requiredRole!: string | null;
  @Field(nullableText) redirectIfUnauth!: string | null;
  @Field(flag) active!: boolean;
}

export class SnapshotComponent {
  @Field(text) id!: string;
  @Field(text) name!: string;
  @Field(nullableText) description!: string | null;
  @Field({ type: 'string', enum: componentTypes }) type!: string;
  @Field(text) content!: string;
  @Field(flag) isGlobal!: boolean;
}

export class SnapshotTemplate {
  @Field(text) id!: string;
  @Field(text) name!: string;
  @Field(text) slug!: string;
  @Field(nullableText) subject!: string | null;
  @Field(nullableText) description!: string | null;
  @Field(text) content!: string;
  @Field({ type: 'any', schema: { type: 'array', items: anyObject }, description: 'Each { name, default? }.' })
  variables!: readonly TemplateVariable[];
}

/** How each kind of content is shown, by the member of the answer that lists it. */
export const contentShapes = {
  pages: { kind: 'page', shape: SnapshotPage },
  components: { kind: 'component', shape: SnapshotComponent },
  emailTemplates: { kind: 'emailTemplate', shape: SnapshotTemplate },
} as const;

@Operation('site/getSnapshotContent', {
  summary:
    'Returns pages, components and email templates with their content as they were right after a change, also deleted ones.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: {
    fields: {
      pages: { type: 'array', items: () => SnapshotPage },
      components: { type: 'array', items: () => SnapshotComponent },
      emailTemplates: { type: 'array', items: () => SnapshotTemplate },
      nextCursor: { ...nextCursor, description: 'Set where the content is too large for one answer; else null.' },
    },
  },
})
export class GetSnapshotContent {
  @Field(idField) projectId!: string;
  @Field(idField) snapshotId!: string;
  @Field(cursorField) cursor?: string;
}

@Operation('site/restoreSnapshot', {
  summary: 'Makes the content what it was right after a change. The state before stays a snapshot to restore.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class RestoreSnapshot {
  @Field(idField) projectId!: string;
  @Field(idField) snapshotId!: string;
}

const fileFields = {
  kind: { ...text, description: 'page, component or emailTemplate.' },
  id: text,
  name: text,
  path: { ...nullableText, description: 'Of a page.' },
} as const;

export class RevertedFile {
  @Field(fileFields.kind) kind!: string;
  @Field(fileFields.id) id!: string;
  @Field(fileFields.name) name!: string;
  @Field(fileFields.path) path!: string | null;
}

export const skipReasons = ['edited-later', 'already-reverted', 'place-taken'] as const;
export type SkipReason = (typeof skipReasons)[number];

export class SkippedFile extends RevertedFile {
  @Field({
    type: 'string',
    enum: skipReasons,
    description:
      'edited-later: what the change set was changed again. already-reverted: there is nothing to undo. place-taken: another file goes by its name or path now.',
  })
  reason!: SkipReason;
}

@Operation('site/revertSnapshotChange', {
  summary: 'Undoes one change. What was edited later stays as it is and is named.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  takesAway: true,
  answers: {
    fields: {
      success: success.fields.success,
      reverted: { type: 'array', items: () => RevertedFile },
      skipped: { type: 'array', items: () => SkippedFile },
    },
  },
})
export class RevertSnapshotChange {
  @Field(idField) projectId!: string;
  @Field(idField) snapshotId!: string;
}
