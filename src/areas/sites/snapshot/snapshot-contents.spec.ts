import { expect, it } from '@jest/globals';
import type { RecordTexts } from '../../../engine/commands/record-texts.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { ContentKind } from './content-kinds.api.js';
import type { PastContent } from './past-content.api.js';
import { contentLimit } from './snapshot.record.js';
import { SnapshotContents } from './snapshot-contents.js';
import type { Snapshots } from './snapshots.js';

type Answer = Readonly<Record<'pages' | 'components' | 'emailTemplates', readonly { readonly id: string }[]>> & {
  readonly nextCursor: string | null;
};

const content = 'x'.repeat(contentLimit);
const idsOf = (category: string) => Array.from({ length: 13 }, (_, n) => `${category}-${n}`);
/** Records that were restored after the snapshot, but did not exist in it. */
const gone = (id: string) => /-(0|3|4)$/.test(id);

it('each record of a snapshot is on one page, also if records did not exist in it that were restored later', async () => {
  const past = {
    idsAt: async (_: unknown, category: string) => idsOf(category),
    async *at(_: unknown, __: ContentKind, ids: readonly string[]) {
      for (const id of ids) if (!gone(id)) yield { id, content };
    },
  } as unknown as PastContent;
  const snapshots = { one: async () => ({}) } as unknown as Snapshots;
  const texts = { whole: async (_: unknown, __: unknown, record: object) => record } as unknown as RecordTexts;
  const contents = new SnapshotContents(snapshots, past, texts);
  const call = { workspaceId: 'ws_1' } as OperationContext;
  const shown: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const about = { projectId: 'proj_1', snapshotId: 'snap_1', ...(cursor === undefined ? {} : { cursor }) };
    const answer = (await contents.page(call, about)) as Answer;
    const { pages, components, emailTemplates } = answer;
    shown.push(...[...pages, ...components, ...emailTemplates].map(({ id }) => id));
    cursor = answer.nextCursor;
  }
  expect(shown).toEqual(['page', 'component', 'emailTemplate'].flatMap(idsOf).filter((id) => !gone(id)));
});
