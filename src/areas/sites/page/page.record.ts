import { inProject, uniqueName } from '../../../engine/commands/reservation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { boolean, field, id, largeText, name, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../sites.refusals.js';
import { contentLimit } from '../snapshot/snapshot.record.js';
import { normalPath, pathField } from './page-path.api.js';

/** If `read` is omitted, only the owner may read the page. */
export interface PageRules {
  readonly read?: Condition;
}

const fields = {
  projectId: id().key(),
  name: name(),
  path: pathField(),
  title: text({ maxLength: 2_000 }).nullable(),
  description: text({ maxLength: 2_000 }).nullable(),
  content: largeText(contentLimit).initially('').internal(),
  layout: text({ maxLength: 200 }).nullable().setLater(),
  isHomePage: boolean()
    .initially(false)
    .describe({ create: 'true sets the path to / and makes any other home page an ordinary page.' }),
  isProtected: boolean().initially(false),
  requiredRole: text({ maxLength: 200 }).clearable().setLater().describe({
    update: 'The id or name of a role; the id is stored. null for any signed-in visitor.',
    answer: 'null for any signed-in visitor.',
  }),
  redirectIfUnauth: text({ maxLength: 2_000 }).nullable().setLater(),
  isDraft: boolean().initially(false).setLater().describe({ answer: 'Whether the page is excluded from publishing.' }),
  sortOrder: field({ type: 'number' }).initially(0).setLater(),
  active: boolean().initially(true).unsent().describe({ answer: 'At most one page with the same path is active.' }),
  message: text().remark(),
};

const events = { created: 'PageCreated', changed: 'PageUpdated', deleted: 'PageDeleted' } as const;

type Followed = NounEvents<typeof fields, typeof events>;
/** If `accessRules` is omitted or `null`, no rules were saved, and `isProtected` and `requiredRole` apply. */
interface Ruled {
  readonly accessRules?: PageRules | null;
}

export type PageEvent =
  | Exclude<Followed, { type: 'PageUpdated' }>
  | DomainEvent<'PageUpdated', Extract<Followed, { type: 'PageUpdated' }>['data'] & Ruled>;
export type NewPage = CreateInput<typeof fields>;
export type PageUpdate = UpdateInput<typeof fields>;
export interface Page extends RecordOf<typeof fields>, Ruled {
  readonly updatedAt: string;
}

export const pages = noun<Page, PageEvent>()({
  kind: 'page',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/getPage',
  of: { project: 'projectId' },
  doors: () => [readRuleOf],
  undoing: {
    sets: [
      { operation: 'site/updatePage', lost: { requiredRole: whyRoleIsLost } },
      'site/setPageActive',
      // An undo of a change of `isProtected` or `requiredRole` must also restore the former access rules, because the
      // rules that `site/updatePage` derives from these flags might differ from them.
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
});

/** The path is normalised because older versions recorded it as it was sent. */
export const slotOfPath = (projectId: string, path: string): string => inProject(projectId, normalPath(path) ?? path);

export const activePath = uniqueName('activePath', pages, ({ active, projectId, path }: Page) =>
  active ? slotOfPath(projectId, path) : undefined,
);

export const homePath = '/';

export const homePage = uniqueName('homePage', pages, ({ isHomePage, projectId }: Page) =>
  isHomePage ? projectId : undefined,
);

export function ruleOfFlags({ isProtected, requiredRole }: Pick<Page, 'isProtected' | 'requiredRole'>): Condition {
  if (!isProtected) return { type: 'public', scope: 'everywhere' };
  return requiredRole === null ? { type: 'authenticated' } : { type: 'has_role', roleId: requiredRole };
}

/** Saved rules go before the flags. */
export function readRuleOf({
  accessRules,
  ...flags
}: Pick<Page, 'isProtected' | 'requiredRole' | 'accessRules'>): Condition | undefined {
  return accessRules ? accessRules.read : ruleOfFlags(flags);
}

/** Ids of roles. A page that was saved before roles existed may contain another text instead. */
const roleId = /^role_[0-9a-z]{26}$/;

function whyRoleIsLost(former: unknown): string | undefined {
  if (typeof former !== 'string' || roleId.test(former)) return undefined;
  return 'The page named a role by a text, before roles existed, and can now only name a role of the site; set requiredRole with site/updatePage.';
}

/** Why an undo cannot restore `accessRules`: no operation removes the saved rules of a page. */
function whyRulesAreLost(former: unknown): string | undefined {
  if (former !== null) return undefined;
  return 'The page had no rules of its own before and followed isProtected and requiredRole; set these with site/updatePage, and the rules follow.';
}
