import { differing } from '../../../kernel/record/differing.js';
import { isTextRef, referTo, type Text } from '../../../kernel/text/text.js';
import { refuse } from '../sites.refusals.js';
import type { CommitMessage } from '../source-text/source-shapes.api.js';
import {
  homePath,
  type NewPage,
  type Page,
  type PageEvent,
  type PageRules,
  type PageUpdate,
  pages,
  ruleOfFlags,
} from './page.record.js';
import { normalPath } from './page-path.api.js';

export function createPage(
  { commitMessage, ...sent }: NewPage & CommitMessage,
  sortOrder: number,
): readonly PageEvent[] {
  const path = sent.isHomePage ? homePath : spelt(sent.path);
  return pages.created({ ...sent, path, sortOrder, message: commitMessage ?? null });
}

const spelt = (path: string): string => normalPath(path) ?? path;

export function updatePage(
  page: Page,
  { baseContentHash, commitMessage, ...sent }: PageUpdate & CommitMessage & { readonly baseContentHash?: string },
): readonly PageEvent[] {
  const contentHash = contentHashOf(page.content);
  if (baseContentHash !== undefined && baseContentHash !== contentHash) {
    refuse('content-changed-since', undefined, { contentHash });
  }
  const spelling = sent.path === undefined ? {} : { path: spelt(sent.path) };
  const changes = { ...sent, ...spelling };
  const changed = pages.changed(page, { ...changes, ...homeMark(page, changes), message: commitMessage });
  return changed.map((event) =>
    event.type === 'PageUpdated' ? { ...event, data: { ...event.data, ...rulesInLine(page, event.data) } } : event,
  );
}

/** If the flags of a page with saved rules change, equivalent rules replace the saved ones. */
function rulesInLine(page: Page, changed: Partial<Page>): Pick<Page, 'accessRules'> {
  if (!page.accessRules || (changed.isProtected === undefined && changed.requiredRole === undefined)) return {};
  return { accessRules: { read: ruleOfFlags({ ...page, ...changed }) } };
}

export const editPage = (
  page: Page,
  { content, commitMessage }: { readonly content: string } & CommitMessage,
): readonly PageEvent[] => pages.changed(page, { content, message: commitMessage });

export function setPageRules(
  page: Page,
  accessRules: PageRules,
  flags: Pick<Page, 'isProtected' | 'requiredRole'>,
): readonly PageEvent[] {
  const changed = differing<Partial<Page>>(page, { accessRules, ...flags });
  return changed === undefined
    ? []
    : [{ type: 'PageUpdated', data: { projectId: page.projectId, ...changed, message: null } }];
}

/** A page that becomes the home page moves to `/`. A home page that moves to another path stops being the home page. */
function homeMark(page: Page, { path = page.path, isHomePage }: PageUpdate): PageUpdate {
  if (isHomePage === true) return { path: homePath };
  return page.isHomePage && path !== homePath ? { isHomePage: false } : {};
}

export const setPageActive = (page: Page, active: boolean): readonly PageEvent[] => pages.changed(page, { active });

export const noHomePage = (page: Page): readonly PageEvent[] => pages.changed(page, { isHomePage: false });

export const deletePage = (page: Page, message?: string): readonly PageEvent[] =>
  pages.deleted(page, { message: message ?? null });

export function contentHashOf(content: Text): string {
  return isTextRef(content) ? content.digest : referTo(content).digest;
}
