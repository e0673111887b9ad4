import { anyObject } from '../../../engine/operation/schema.js';
import { Field } from '../../../kernel/field/field.js';
import { componentTypes } from '../component/component.record.js';
import { type Snapshot, snapshotKinds } from './snapshot.record.js';

const text = { type: 'string' } as const;
const nullableText = { type: 'string', nullable: true } as const;
const flag = { type: 'boolean' } as const;

class ChangedFile {
  @Field({ ...text, description: 'page, component or emailTemplate.' }) kind!: string;
  @Field(text) id!: string;
  @Field({ ...text, description: 'The current name, or the last one if the file was deleted.' }) name!: string;
  @Field({ ...nullableText, description: 'Path of a page. null for other kinds.' }) path!: string | null;
  @Field({ type: 'string', enum: ['created', 'updated', 'deleted'] }) change!: 'created' | 'updated' | 'deleted';
}

class SnapshotAuthor {
  @Field(text) kind!: string;
  @Field(text) id!: string;
  @Field(text) name!: string;
}

export class SnapshotRow {
  @Field(text) id!: string;
  @Field({ type: 'integer', description: 'Number of the snapshot in the project, counted from 1.' }) number!: number;
  @Field({ ...nullableText, description: 'The commitMessage of the change.' }) label!: string | null;
  @Field({ type: 'string', enum: snapshotKinds }) kind!: Snapshot['kind'];
  @Field({ type: 'object', shape: () => SnapshotAuthor }) author!: SnapshotAuthor;
  @Field(text) createdAt!: string;
  @Field({ type: 'array', items: () => ChangedFile }) changedFiles!: readonly ChangedFile[];
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
  @Field({ type: 'any', schema: { type: 'array', items: anyObject }, description: 'A list of { name, default? }.' })
  variables!: readonly object[];
}

const fileFields = {
  kind: { ...text, description: 'page, component or emailTemplate.' },
  id: text,
  name: text,
  path: { ...nullableText, description: 'Path of a page. null for other kinds.' },
} as const;

export class RevertedFile {
  @Field(fileFields.kind) kind!: string;
  @Field(fileFields.id) id!: string;
  @Field(fileFields.name) name!: string;
  @Field(fileFields.path) path!: string | null;
}

const skipReasons = ['edited-later', 'already-reverted', 'place-taken'] as const;
export type RestoreSkipReason = (typeof skipReasons)[number];

export class SkippedFile extends RevertedFile {
  @Field({
    type: 'string',
    enum: skipReasons,
    description:
      'edited-later: what the change set was changed again later. already-reverted: there is nothing to undo. place-taken: another file now has its name or path.',
  })
  reason!: RestoreSkipReason;
}
