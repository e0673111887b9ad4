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
      : 'must be the nextCursor of an earlier response',
  optional: true,
  description: 'The nextCursor of the previous page.',
});
const nextCursor = { type: 'string', nullable: true, description: 'null on the last page.' } as const;

export const snapshotOperations = [
  query('site/listSnapshots', {
    ...asks,
    summary: 'Lists the snapshots of a project, newest first. Each change of its content makes one.',
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
      'Returns the pages, components and email templates as they were right after a change, including deleted ones.',
    answers: {
      fields: {
        pages: { type: 'array', items: () => SnapshotPage },
        components: { type: 'array', items: () => SnapshotComponent },
        emailTemplates: { type: 'array', items: () => SnapshotTemplate },
        nextCursor: {
          ...nextCursor,
          description:
            'null on the last page. Content that is too large for one response is returned in several pages.',
        },
      },
    },
    input: { ...oneSnapshot, cursor },
    inject: [SnapshotContents],
    handle: (input, call, contents) => contents.page(call, input),
  }),
  command('site/restoreSnapshot', {
    ...changes,
    summary:
      'Restores the content to its state right after a change. The state before the restore remains available as a snapshot. A snapshot of edits that gitSwitchBranch discarded also restores the name, description, dependencies and brand kit of the project.',
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
    summary: 'Undoes one change. Files that were edited later are not changed and are listed in the response.',
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
