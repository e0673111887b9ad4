import { Injectable } from '@nestjs/common';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { Project } from '../project/project.record.js';
import { type Page, pages } from './page.record.js';
import { ruleOfFlags } from './page-rules.api.js';

/** Who asks for pages. `isOwner`: a member who looks at a preview or an app reads every page (settled question Q-S61). */
export interface PageReader {
  readonly visitor: Visitor;
  readonly isOwner: boolean;
}

/** As of a published page. Its rules are those that it has now. */
interface Asked {
  readonly id: string;
  readonly path: string;
}

/** Above this number, all pages of the project are read at once. */
const fewPages = 3;

/**
 * Who may read which page, judged by the rules and the user of this moment (Sites supplement, Pages, build, publish). A page
 * that was deleted since it was published is read by nobody.
 */
@Injectable()
export class PageReaders {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
    private readonly unchanged: WhileUnchanged,
  ) {}

  /** Whether it is still there, whoever may read it. */
  async isThere(project: Project, page: Asked): Promise<boolean> {
    return (await this.current(project, [page])).size === 1;
  }

  /** The ids of those that the reader may read. */
  async readable(project: Project, reader: PageReader, asked: readonly Asked[]): Promise<ReadonlySet<string>> {
    const { workspaceId, id: projectId } = project;
    const current = await this.current(project, asked);
    const there = asked.filter(({ id }) => current.has(id));
    if (reader.isOwner || !project.authEnabled) return new Set(there.map(({ id }) => id));
    const policiesNow = () => this.policies.of(workspaceId, projectId);
    const policies = await this.unchanged.of(`policies ${workspaceId}/${projectId}`, policiesNow);
    const { now, person } = reader.visitor;
    const facts = { now, place: 'page', throughSite: true, ...(person === undefined ? {} : { person }) } as const;
    const isOpen = alwaysOpen(project);
    const isReadable = ({ id, path }: Asked) => isOpen(path) || judge(current.get(id), facts, policies).isAllowed;
    return new Set(there.filter(isReadable).map(({ id }) => id));
  }

  /** The rules of those that are there. */
  private current(
    { workspaceId, id }: Project,
    asked: readonly Asked[],
  ): Promise<ReadonlyMap<string, Condition | undefined>> {
    const which = asked.length > fewPages ? '' : asked.map((page) => page.id).join();
    return this.unchanged.of(`pages ${workspaceId}/${id} ${which}`, () => this.read({ workspaceId, id }, asked));
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

/**
 * The steps of signing in, which signed-out visitors take, and where refused ones are sent. Where people go afterwards
 * (`afterLogin`, `afterLogout`, keys of the site's own) follows its own rules.
 */
const openSteps = ['login', 'signup', 'forgotPassword', 'resetPassword', 'verifyEmail', 'accessDenied'] as const;

function alwaysOpen({ authPaths }: Project): (path: string) => boolean {
  const paths = new Set(['/404', ...openSteps.map((step) => authPaths[step])]);
  return (path) => paths.has(path);
}

function ruleOf(page: Page): Condition | undefined {
  const { accessRules } = page;
  return accessRules ? accessRules.read : ruleOfFlags(page);
}
