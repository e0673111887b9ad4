import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { contentKindOf } from './content-kinds.api.js';
import { PastContent } from './past-content.api.js';
import { cursorAt, snapshotCursorPosition } from './snapshot-cursor.js';
import { Snapshots } from './snapshots.js';

/** In characters. A page of the response ends when its content exceeds this size. */
const mostContent = 16 * 1024 * 1024;

const members = { pages: 'page', components: 'component', emailTemplates: 'emailTemplate' } as const;

interface RequestedPage {
  readonly projectId: string;
  readonly snapshotId: string;
  readonly cursor?: string;
}

@Injectable()
export class SnapshotContents {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly past: PastContent,
    private readonly texts: RecordTexts,
  ) {}

  async page(call: OperationContext, { projectId, snapshotId, cursor }: RequestedPage): Promise<object> {
    const snapshot = await this.snapshots.one(call, projectId, snapshotId);
    const answer = Object.fromEntries(Object.keys(members).map((as): [string, object[]] => [as, []]));
    const skipped = cursor === undefined ? 0 : (snapshotCursorPosition(cursor) ?? 0);
    let idsBefore = 0;
    let content = 0;
    for (const [as, category] of Object.entries(members)) {
      const kind = contentKindOf(category);
      if (kind === undefined) continue;
      const ids = await this.past.idsAt(snapshot, category);
      const left = ids.slice(Math.max(0, skipped - idsBefore));
      for await (const record of this.past.at(snapshot, kind, left)) {
        // The cursor counts ids, not records. `ids` includes records that were deleted before the snapshot and restored
        // after it, for which `at` yields nothing.
        if (content >= mostContent) return { ...answer, nextCursor: cursorAt(idsBefore + ids.indexOf(record.id)) };
        const whole = await this.texts.whole(kind.record, call.workspaceId, record);
        content += String((whole as { readonly content?: unknown }).content ?? '').length;
        answer[as]?.push(whole);
      }
      idsBefore += ids.length;
    }
    return { ...answer, nextCursor: null };
  }
}
