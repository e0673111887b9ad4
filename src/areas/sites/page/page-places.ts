import { Injectable } from '@nestjs/common';
import { type Place, place } from '../../../engine/commands/alongside.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { takesAgain } from '../../../engine/commands/returning-names.js';
import type { Call } from '../../../engine/operation/call.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { pageUpdated } from './page.js';
import { activePath, homePage, type Page, type PageEvent, type PageFacts, pages, placeOfPath } from './page.record.js';

interface PageChange {
  readonly id: string;
  readonly begins?: true;
  decide(page: Page | undefined): readonly PageEvent[];
}

/** Every change of a page's path or marks goes through here, so that one page at most is active at a path, and one is the home page. */
@Injectable()
export class PageChanges {
  constructor(private readonly runner: CommandRunner) {}

  async change(call: Call, { id, begins, decide }: PageChange): Promise<Page | undefined> {
    return this.runner.change<Page | undefined, PageEvent>(call, {
      aggregate: pages,
      id,
      begins: begins ?? false,
      decide,
      places: (page, decided) => placesOf(streamOf(pages.category, call.workspaceId, id), page, decided),
    });
  }
}

/** The places that a page comes to hold by these events. */
export function placesOf(stream: string, page: Page | undefined, events: readonly PageEvent[]): readonly Place[] {
  const after: Partial<PageFacts> = Object.assign({}, page, ...events.map(({ data }) => data));
  if (events.some(({ type }) => type === 'PageDeleted') || after.projectId === undefined) return [];
  const { projectId, path = '', active, isHomePage } = after;
  const movedHere = active === true && !(page?.active === true && page.path === path);
  return [
    ...(movedHere
      ? [place(activePath(placeOfPath(projectId, path), stream), (page: Page) => pageUpdated(page, { active: false }))]
      : []),
    ...(isHomePage === true && page?.isHomePage !== true
      ? [place(homePage(projectId, stream), (page: Page) => pageUpdated(page, { isHomePage: false }))]
      : []),
  ];
}

/** A page that comes back takes no place from another: that one may be published by now. */
takesAgain(pages, ({ workspaceId, id, projectId, path, active, isHomePage }) => {
  const stream = streamOf(pages.category, workspaceId, id);
  return [
    ...(active
      ? [
          {
            reservation: activePath(placeOfPath(projectId, path), stream),
            taken: () => refuse('page-path-taken', { path }),
          },
        ]
      : []),
    ...(isHomePage ? [{ reservation: homePage(projectId, stream), taken: () => refuse('home-page-taken') }] : []),
  ];
});
