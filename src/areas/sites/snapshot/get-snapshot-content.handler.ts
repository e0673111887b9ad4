import { QueryHandler } from '@nestjs/cqrs';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { contentKindOf } from './content-kinds.api.js';
import { PastContent } from './past-content.api.js';
import { contentShapes, GetSnapshotContent } from './snapshot.operations.js';
import { cursorAt, positionOf } from './snapshot-cursor.js';
import { Snapshots } from './snapshots.js';

/** Content of one answer, in characters. */
const mostContent = 16 * 1024 * 1024;

@QueryHandler(GetSnapshotContent)
export class GetSnapshotContentHandler {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly past: PastContent,
    private readonly texts: RecordTexts,
  ) {}

  async execute(input: GetSnapshotContent): Promise<object> {
    const call = callOf(input);
    const snapshot = await this.snapshots.one(call, input.projectId, input.snapshotId);
    const answer = Object.fromEntries(Object.keys(contentShapes).map((as): [string, object[]] => [as, []]));
    const skipped = input.cursor === undefined ? 0 : (positionOf(input.cursor) ?? 0);
    let shownBefore = 0;
    let content = 0;
    for (const [as, { kind: category, shape }] of Object.entries(contentShapes)) {
      const kind = contentKindOf(category);
      if (kind === undefined) continue;
      const ids = await this.past.idsAt(snapshot, category);
      const left = ids.slice(Math.max(0, skipped - shownBefore));
      let reached = shownBefore + ids.length - left.length;
      shownBefore += ids.length;
      for await (const record of this.past.at(snapshot, kind, left)) {
        if (content >= mostContent) return { ...answer, nextCursor: cursorAt(reached) };
        const whole = await this.texts.whole(kind.record, call.workspaceId, record);
        const one = shown<object>(shape, whole);
        content += String((whole as { readonly content?: unknown }).content ?? '').length;
        answer[as]?.push(one);
        reached += 1;
      }
    }
    return { ...answer, nextCursor: null };
  }
}
