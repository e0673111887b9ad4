import { Injectable } from '@nestjs/common';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import type { Project } from '../project/project.record.js';
import { openPathsOf } from './open-paths.api.js';
import { type Page, pages, readRuleOf } from './page.record.js';

/** `isOwner` marks a member who views a preview or an app and may read every page (Q-S61). */
export interface PageReader {
  readonly visitor: Visitor;
  readonly isOwner: boolean;
}

interface Asked {
  readonly id: string;
  readonly path: string;
}

const noPolicies: Policies = () => undefined;

/** Up to this many pages are read one by one. For more, all pages of the project are read with one query. */
const fewPages = 3;

/**
 * Decides who may read a published page. The page's current rules and the user's current state apply, not those at the
 * time of the publish. A page that was deleted after the publish is closed to everyone (Sites supplement, Pages, build,
 * publish).
 */
@Injectable()
export class PageReaders {
  constructor(
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
    private readonly unchanged: WhileUnchanged,
  ) {}

  async isThere(project: Project, page: Asked): Promise<boolean> {
    return (await this.accessTo(project, [page])).isThere(page);
  }

  async readable(project: Project, reader: PageReader, asked: readonly Asked[]): Promise<ReadonlySet<string>> {
    const access = await this.accessTo(project, asked);
    return new Set(asked.filter((page) => access.mayRead(page, reader)).map(({ id }) => id));
  }

  async accessTo(project: Project, asked: readonly Asked[]): Promise<PageAccess> {
    const { workspaceId, id, authEnabled } = project;
    const which = asked.length > fewPages ? 'all' : asked.map((page) => page.id).join();
    const rules = await this.unchanged.cached(`rules ${workspaceId}/${id} ${authEnabled} ${which}`, async () => {
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
    return new Map(
      found.flatMap((page) => (page?.projectId === projectId ? [[page.id, readRuleOf(page)] as const] : [])),
    );
  }
}

interface Rules {
  readonly current: ReadonlyMap<string, Condition | undefined>;
  readonly policies: Policies;
}

class PageAccess {
  private readonly open: ReadonlySet<string>;

  constructor(
    private readonly project: Project,
    private readonly rules: Rules,
  ) {
    this.open = openPathsOf(project.authPaths);
  }

  isThere({ id }: Asked): boolean {
    return this.rules.current.has(id);
  }

  mayRead({ id, path }: Asked, { visitor, isOwner }: PageReader): boolean {
    const { current, policies } = this.rules;
    if (!current.has(id)) return false;
    if (isOwner || !this.project.authEnabled || this.open.has(path)) return true;
    const { now, person } = visitor;
    const facts = { now, place: 'page', throughSite: true, ...(person === undefined ? {} : { person }) } as const;
    return judge(current.get(id), facts, policies).isAllowed;
  }
}
