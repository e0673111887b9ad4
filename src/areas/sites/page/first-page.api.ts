import type { ExclusiveSlot } from '../../../engine/commands/related-changes.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { createPage } from './page.js';
import { homePath, type PageEvent, pages } from './page.record.js';
import { slotsOf } from './page-slots.js';

export function firstPage(projectId: string, name: string): readonly PageEvent[] {
  const content = `export default function Home() {
  return (
    <main className="mx-auto max-w-2xl p-8">
      <h1 className="text-3xl font-bold">{${JSON.stringify(name)}}</h1>
      <p className="mt-4">This is the first page of your site.</p>
    </main>
  );
}
`;
  return createPage(
    { projectId, name: 'Home', path: homePath, title: name.slice(0, 60), isHomePage: true, content },
    0,
  );
}

export function slotsOfFirstPage(
  workspaceId: string,
  pageId: string,
  page: readonly PageEvent[],
): readonly ExclusiveSlot[] {
  return slotsOf(streamOf(pages.category, workspaceId, pageId), undefined, page);
}
