import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { Text } from '../../../kernel/text/text.js';
import { normalPath } from './page-path.js';

/** Who may read it; empty: nobody but the owner. */
export interface PageRules {
  readonly read?: Condition;
}

/** What a page says of itself, its content included. */
export interface PageFacts {
  readonly projectId: string;
  readonly name: string;
  /** `/blog/:slug`: begins with a slash; `:name` stands for one segment. */
  readonly path: string;
  readonly title: string | null;
  readonly description: string | null;
  /** TSX; empty: nothing yet, and publish skips the page. */
  readonly content: Text;
  readonly layout: string | null;
  readonly isHomePage: boolean;
  readonly isProtected: boolean;
  readonly requiredRole: string | null;
  readonly redirectIfUnauth: string | null;
  readonly isDraft: boolean;
  readonly sortOrder: number;
  /** Of the pages with one path, one at most is active. */
  readonly active: boolean;
  /** Left out or null: never saved, and the page follows `isProtected` and `requiredRole`. */
  readonly accessRules?: PageRules | null;
}

/** `message`: what the caller said of the change; the snapshot that it makes is labelled with it. */
interface Said {
  readonly message: string | null;
}

export type PageEvent =
  | DomainEvent<'PageCreated', PageFacts & Said>
  | DomainEvent<'PageUpdated', Partial<PageFacts> & Pick<PageFacts, 'projectId'> & Said>
  | DomainEvent<'PageDeleted', { readonly projectId: string } & Said>;

export interface Page extends Document, PageFacts {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const pages = plainRecord<Page, PageEvent>()({
  category: 'page',
  auditedFor: 'site.read',
  shownBy: 'site/getPage',
  within: 'project',
  of: { project: 'projectId' },
  texts: ['content'],
  undoing: {
    sets: [
      { operation: 'site/updatePage', lost: { requiredRole: whyRoleIsLost } },
      'site/setPageActive',
      // Flags alone would set back a rule that is only like the former one.
      {
        operation: 'site/setPageAccessRules',
        unseen: ['accessRules'],
        follows: ['isProtected', 'requiredRole'],
        lost: { accessRules: whyRulesAreLost },
      },
    ],
    makes: 'site/createPage',
    ends: 'site/deletePage',
    returns: { type: 'PageRestored' },
  },
  missing: () => refuse('site-page-not-found'),
  collection: { name: 'pages', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'sortOrder'] }] },
  updatedAt: true,
  begins: { PageCreated: ({ data: { message: _, ...facts } }) => facts },
  ends: ['PageDeleted'],
  also: { PageUpdated: (_, { data: { message: __, ...changed } }) => changed },
});

/** A page recorded before paths had one spelling may have another. */
export const placeOfPath = (projectId: string, path: string): string => inProject(projectId, normalPath(path) ?? path);

/** Held by the active page of a path. */
export const activePath = uniqueName('activePath', pages, ({ active, projectId, path }: Page) =>
  active ? placeOfPath(projectId, path) : undefined,
);

/** Where the home page is. */
export const homePath = '/';

/** Held by a project's home page. */
export const homePage = uniqueName('homePage', pages, ({ isHomePage, projectId }: Page) =>
  isHomePage ? projectId : undefined,
);

/** Ids of roles, by which pages name them since there are roles. */
const roleId = /^role_[0-9a-z]{26}$/;

function whyRoleIsLost(former: unknown): string | undefined {
  if (typeof former !== 'string' || roleId.test(former)) return undefined;
  return 'The page asked for a role in words, from before there were roles, and now takes roles alone; set requiredRole with site/updatePage.';
}

/** Once a page has rules, `site/updatePage` sets the flags by rules that say the same, so no rules at all cannot come back. */
function whyRulesAreLost(former: unknown): string | undefined {
  if (former !== null) return undefined;
  return 'The page had no rules of its own before and followed isProtected and requiredRole; set these with site/updatePage, and the rules say the same.';
}
