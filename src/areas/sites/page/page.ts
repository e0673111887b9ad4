import { opensAccess } from '../../../kernel/condition/opens-access.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { isTextRef, referTo, type Text } from '../../../kernel/text/text.js';
import { differingSource } from '../source-text/differing-source.api.js';
import { homePath, type Page, type PageEvent, type PageFacts, type PageRules } from './page.record.js';
import { normalPath } from './page-path.js';
import { ruleOfFlags } from './page-rules.api.js';

/** What a caller may send of a page. */
export interface PageInput {
  readonly name?: string;
  readonly path?: string;
  readonly title?: string;
  readonly description?: string;
  readonly content?: string;
  readonly layout?: string;
  readonly isHomePage?: boolean;
  readonly isProtected?: boolean;
  readonly requiredRole?: string | null;
  readonly redirectIfUnauth?: string;
  readonly isDraft?: boolean;
  readonly sortOrder?: number;
  readonly commitMessage?: string;
}

/** A new page is active (settled question Q-S72). `sortOrder`: where no other is sent. */
export function createPage(
  input: PageInput & { readonly projectId: string; readonly name: string; readonly path: string },
  sortOrder: number,
): readonly PageEvent[] {
  const { projectId, name, path, isHomePage = false, commitMessage } = input;
  const facts: PageFacts = {
    projectId,
    name,
    path: isHomePage ? homePath : spelt(path),
    title: input.title ?? null,
    description: input.description ?? null,
    content: input.content ?? '',
    layout: input.layout ?? null,
    isHomePage,
    isProtected: input.isProtected ?? false,
    requiredRole: input.requiredRole ?? null,
    redirectIfUnauth: input.redirectIfUnauth ?? null,
    isDraft: input.isDraft ?? false,
    sortOrder: input.sortOrder ?? sortOrder,
    active: true,
  };
  return [{ type: 'PageCreated', data: { ...facts, message: commitMessage ?? null } }];
}

/** Paths are recorded in their one spelling. */
const spelt = (path: string): string => normalPath(path) ?? path;

/** Records what differs. `baseContentHash`: the content that the caller saw (settled question Q-S73). */
export function updatePage(
  page: Page,
  { baseContentHash, commitMessage, ...sent }: PageInput & { readonly baseContentHash?: string },
): readonly PageEvent[] {
  const contentHash = contentHashOf(page.content);
  if (baseContentHash !== undefined && baseContentHash !== contentHash) {
    refuse('content-changed-since', undefined, { contentHash });
  }
  const spelling = sent.path === undefined ? {} : { path: spelt(sent.path) };
  const wanted = { ...sent, ...spelling };
  const changed = differingSource<PageFacts>(page, { ...wanted, ...homeMark(page, wanted) });
  return changed === undefined ? [] : pageUpdated(page, { ...changed, ...rulesInLine(page, changed) }, commitMessage);
}

/** Once rules are saved, they say what the flags say: whoever changes the flags changes the rules. */
function rulesInLine(page: Page, changed: Partial<PageFacts>): Pick<PageFacts, 'accessRules'> {
  if (!page.accessRules || (changed.isProtected === undefined && changed.requiredRole === undefined)) return {};
  return { accessRules: { read: ruleOfFlags({ ...page, ...changed }) } };
}

export function setPageRules(
  page: Page,
  accessRules: PageRules,
  flags: Pick<PageFacts, 'isProtected' | 'requiredRole'>,
): readonly PageEvent[] {
  const changed = differing<Partial<PageFacts>>(page, { accessRules, ...flags });
  return changed === undefined ? [] : pageUpdated(page, changed);
}

/** The home page is at `/`: the mark moves a page there, and a home page that is only moved away loses the mark. */
function homeMark(page: Page, { path = page.path, isHomePage }: PageInput): PageInput {
  if (isHomePage === true) return { path: homePath };
  return page.isHomePage && path !== homePath ? { isHomePage: false } : {};
}

export function setPageActive(page: Page, active: boolean): readonly PageEvent[] {
  return page.active === active ? [] : pageUpdated(page, { active });
}

export function deletePage({ projectId }: Page, message?: string): readonly PageEvent[] {
  return [{ type: 'PageDeleted', data: { projectId, message: message ?? null } }];
}

export function pageUpdated(
  { projectId }: Pick<Page, 'projectId'>,
  changed: Partial<Omit<PageFacts, 'projectId'>>,
  message?: string,
): readonly PageEvent[] {
  return [{ type: 'PageUpdated', data: { projectId, ...changed, message: message ?? null } }];
}

/** SHA-256 (hex) of the content in UTF-8. */
export function contentHashOf(content: Text): string {
  return isTextRef(content) ? content.digest : referTo(content).digest;
}

/** Whether visitors without a sign-in may read the page because of the event. A page's own rules count before its flags. */
export function opensPage(event: PageEvent, before: Page): boolean {
  if (opensAccess(event, before)) return true;
  if (event.type !== 'PageUpdated') return false;
  const isOpen = ({ isProtected, accessRules }: Pick<Page, 'isProtected' | 'accessRules'>) =>
    !isProtected && (accessRules ?? null) === null;
  return isOpen({ ...before, ...event.data }) && !isOpen(before);
}
