import { type ExclusiveSlot, exclusiveSlot } from '../../../engine/commands/related-changes.js';
import { reservesOnRestore } from '../../../engine/commands/restored-names.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../sites.refusals.js';
import { noHomePage, setPageActive } from './page.js';
import { activePath, homePage, type Page, type PageEvent, pages, slotOfPath } from './page.record.js';

/**
 * A slot is a position that only one page can have: the active page at a path, or the home page of a project. The page
 * that had the slot before loses it.
 */
export const pageSlots = (
  page: Page | undefined,
  decided: readonly PageEvent[],
  { workspaceId }: OperationContext,
  id: string,
): readonly ExclusiveSlot[] => slotsOf(streamOf(pages.category, workspaceId, id), page, decided);

export function slotsOf(
  stream: string,
  page: Page | undefined,
  events: readonly PageEvent[],
): readonly ExclusiveSlot[] {
  const after: Partial<Page> = Object.assign({}, page, ...events.map(({ data }) => data));
  if (events.some(({ type }) => type === 'PageDeleted') || after.projectId === undefined) return [];
  const { projectId, path = '', active, isHomePage } = after;
  const movedHere = active === true && !(page?.active === true && page.path === path);
  return [
    ...(movedHere
      ? [exclusiveSlot(activePath(slotOfPath(projectId, path), stream), (page: Page) => setPageActive(page, false))]
      : []),
    ...(isHomePage === true && page?.isHomePage !== true
      ? [exclusiveSlot(homePage(projectId, stream), noHomePage)]
      : []),
  ];
}

/**
 * A restored page does not take a slot from another page, because the other page might have been published. The restore
 * is refused instead.
 */
reservesOnRestore(pages, ({ workspaceId, id, projectId, path, active, isHomePage }) => {
  const stream = streamOf(pages.category, workspaceId, id);
  return [
    ...(active
      ? [
          {
            reservation: activePath(slotOfPath(projectId, path), stream),
            taken: () => refuse('page-path-taken', { path }),
          },
        ]
      : []),
    ...(isHomePage ? [{ reservation: homePage(projectId, stream), taken: () => refuse('home-page-taken') }] : []),
  ];
});
