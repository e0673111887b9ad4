import { uniqueName } from '../../../engine/reservation.js';
import type { DomainEvent } from '../../../kernel/event.js';
import { plainRecord } from '../../../kernel/plain-record.js';
import type { Document } from '../../../kernel/projection.js';
import { refuse } from '../../../kernel/refusal.js';

interface PageFacts {
  readonly projectId: string;
  readonly name: string;
  /** `/blog/:slug`: begins with a slash; `:name` stands for one segment. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  /** TSX; null: nothing yet, and publish skips the page. */
  readonly content: string | null;
  readonly layout: string | null;
  readonly isHomePage: boolean;
  readonly isProtected: boolean;
  readonly requiredRole: string | null;
  readonly redirectIfUnauth: string | null;
  readonly isDraft: boolean;
  readonly sortOrder: number;
  /** Of the pages with one path, one at most is active. */
  readonly active: boolean;
}

export type PageEvent =
  | DomainEvent<'PageCreated', PageFacts>
  | DomainEvent<'PageUpdated', Partial<PageFacts>>
  | DomainEvent<'PageActivated', object>
  | DomainEvent<'PageDeactivated', object>
  | DomainEvent<'PageDeleted', { readonly projectId: string }>;

export interface Page extends Document, PageFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const pages = plainRecord<Page, PageEvent>()({
  category: 'page',
  auditedFor: 'site.read',
  within: 'project',
  missing: () => refuse('page-not-found-in-site'),
  collection: { name: 'pages', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'sortOrder'] }] },
  updatedAt: true,
  begins: { PageCreated: {} },
  merges: ['PageUpdated'],
  ends: ['PageDeleted'],
  also: {
    PageActivated: () => ({ active: true }),
    PageDeactivated: () => ({ active: false }),
  },
});

/** The active page of a path. */
export const activePath = uniqueName('activePath', pages, (page: Page) =>
  page.active ? pathIn(page.projectId, page.path) : undefined,
);

export const homePage = uniqueName('homePage', pages, (page: Page) => (page.isHomePage ? page.projectId : undefined));

export const pathIn = (projectId: string, path: string): string => `${projectId} ${path}`;
