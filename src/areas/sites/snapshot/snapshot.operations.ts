import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { typed } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { RestoredSnapshots } from './restored-snapshots.js';
import { RevertedSnapshots } from './reverted-snapshots.js';
import { SnapshotContents } from './snapshot-contents.js';
import { cursorPattern, snapshotCursorPosition } from './snapshot-cursor.js';
import {
  RevertedFile,
  SkippedFile,
  SnapshotComponent,
  SnapshotPage,
  SnapshotRow,
  SnapshotTemplate,
} from './snapshot-shapes.js';
import { Snapshots } from './snapshots.js';

const declared = {
  source: 'Sites API, Snapshots',
  group: 'snapshots',
  tools: 'granted',
  within: 'project',
} as const;
const asks = { ...declared, permission: 'site.read' } as const;
const changes = { ...declared, permission: 'site.edit', takesAway: true } as const;
const oneSnapshot = { projectId: idField, snapshotId: idField } as const;
const cursor = typed<string>()({
  type: 'any',
  schema: { type: 'string', pattern: cursorPattern },
  wrong: (value: unknown) =>
    typeof value === 'string' && snapshotCursorPosition(value) !== undefined
      ? undefined
      : 'must be the nextCursor of an answer',
  optional: true,
  description: 'The nextCursor of the page before.',
});
const nextCursor = { type: 'string', nullable: true, description: 'null: nothing is left.' } as const;

export const snapshotOperations = [
  query('site/listSnapshots', {
    ...asks,
    summary: 'Lists the snapshots of a project, newest first: one for every change of its content.',
    answers: { fields: { snapshots: { type: 'array', items: () => SnapshotRow }, nextCursor } },
    input: {
      projectId: idField,
      limit: { type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 },
      cursor,
    },
    inject: [Snapshots],
    handle: (input, call, snapshots) => snapshots.list(call, input),
  }),
  query('site/getSnapshotContent', {
    ...asks,
    summary:
      'Returns pages, components and email templates with their content as they were right after a change, also deleted ones.',
    answers: {
      fields: {
        pages: { type: 'array', items: () => SnapshotPage },
        components: { type: 'array', items: () => SnapshotComponent },
        emailTemplates: { type: 'array', items: () => SnapshotTemplate },
        nextCursor: { ...nextCursor, description: 'Set where the content is too large for one answer; else null.' },
      },
    },
    input: { ...oneSnapshot, cursor },
    inject: [SnapshotContents],
    handle: (input, call, contents) => contents.page(call, input),
  }),
  command('site/restoreSnapshot', {
    ...changes,
    summary: 'Makes the content what it was right after a change. The state before stays a snapshot to restore.',
    answers: success,
    input: oneSnapshot,
    inject: [RestoredSnapshots],
    handle: async ({ projectId, snapshotId }, call, restored) => {
      await restored.restore(call, projectId, snapshotId);
      return { success: true };
    },
  }),
  command('site/revertSnapshotChange', {
    ...changes,
    summary: 'Undoes one change. What was edited later stays as it is and is named.',
    answers: {
      fields: {
        success: success.fields.success,
        reverted: { type: 'array', items: () => RevertedFile },
        skipped: { type: 'array', items: () => SkippedFile },
      },
    },
    input: oneSnapshot,
    inject: [RevertedSnapshots],
    handle: ({ projectId, snapshotId }, call, reverted) => reverted.revert(call, projectId, snapshotId),
  }),
];
