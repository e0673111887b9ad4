import { Injectable } from '@nestjs/common';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { Project } from '../project/project.record.js';
import { type Page, pages } from './page.record.js';
import { ruleOfFlags } from './page-rules.api.js';

/** The reader of pages. With `isOwner`, a member who views a preview or an app reads every page (Q-S61). */
export interface PageReader {
  readonly visitor: Visitor;
  readonly isOwner: boolean;
}

/** A page as published. Its present rules apply. */
interface Asked {
  readonly id: string;
  readonly path: string;
}

const noPolicies: Policies = () => undefined;

/** Above this number, all pages of the project are read at once. */
const fewPages = 3;

/**
 * Decides who may read which page, by the present rules and the present user (Sites supplement, Pages, build, publish).
 * A page that was deleted since the publish is closed to everyone.
 */
@Injectable()
export class PageReaders {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
    private readonly unchanged: WhileUnchanged,
  ) {}

  /** Whether the page still exists, regardless of who may read it. */
  async isThere(project: Project, page: Asked): Promise<boolean> {
    return (await this.accessTo(project, [page])).isThere(page);
  }

  /** Returns the ids of the pages that the reader may read. */
  async readable(project: Project, reader: PageReader, asked: readonly Asked[]): Promise<ReadonlySet<string>> {
    const access = await this.accessTo(project, asked);
    return new Set(asked.filter((page) => access.mayRead(page, reader)).map(({ id }) => id));
  }

  /** Returns an object that judges access to these pages only. */
  async accessTo(project: Project, asked: readonly Asked[]): Promise<PageAccess> {
    const { workspaceId, id, authEnabled } = project;
    const which = asked.length > fewPages ? '' : asked.map((page) => page.id).join();
    const rules = await this.unchanged.of(`rules ${workspaceId}/${id} ${authEnabled} ${which}`, async () => {
      const [current, policies] = await Promise.all([
        this.read(project, asked),
        authEnabled ? this.policies.of(workspaceId, id) : noPolicies,
      ]);
      return { current, policies };
    });
    return new PageAccess(project, rules);
  }

  private async read({ workspaceId, id: projectId }: Pick<Project, 'id' | 'workspaceId'>, asked: readonly Asked[]) {
    const collection = pages.collection?.name ?? '';
    const found =
      asked.length > fewPages
        ? await this.reads.find<Page>(workspaceId, collection, { where: { projectId }, sort: [['sortOrder', 'asc']] })
        : await Promise.all(asked.map(({ id }) => this.reads.get<Page>(workspaceId, collection, id)));
    return new Map(found.flatMap((page) => (page?.projectId === projectId ? [[page.id, ruleOf(page)] as const] : [])));
  }
}

interface Rules {
  /** Read conditions of the pages that still exist. */
  readonly current: ReadonlyMap<string, Condition | undefined>;
  readonly policies: Policies;
}

/** Judges each reader by the rules of some pages. */
class PageAccess {
  constructor(
    private readonly project: Project,
    private readonly rules: Rules,
  ) {}

  isThere({ id }: Asked): boolean {
    return this.rules.current.has(id);
  }

  /** Judges at the time in `visitor.now`. */
  mayRead({ id, path }: Asked, { visitor, isOwner }: PageReader): boolean {
    const { current, policies } = this.rules;
    if (!current.has(id)) return false;
    if (isOwner || !this.project.authEnabled || isOpen(path, this.project)) return true;
    const { now, person } = visitor;
    const facts = { now, place: 'page', throughSite: true, ...(person === undefined ? {} : { person }) } as const;
    return judge(current.get(id), facts, policies).isAllowed;
  }
}

/**
 * Returns the pages that everyone may read: the steps of signing in, and the page to which refused visitors are sent.
 * Pages after the sign-in (`afterLogin`, `afterLogout`, the site's own keys) follow their own rules.
 */
const openSteps = ['login', 'signup', 'forgotPassword', 'resetPassword', 'verifyEmail', 'accessDenied'] as const;

function isOpen(path: string, { authPaths }: Project): boolean {
  return path === '/404' || openSteps.some((step) => authPaths[step] === path);
}

function ruleOf(page: Page): Condition | undefined {
  const { accessRules } = page;
  return accessRules ? accessRules.read : ruleOfFlags(page);
}
