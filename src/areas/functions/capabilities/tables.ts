import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import type { Json } from '../../../kernel/json/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type RowCaller, Rows } from '../../bases/row/rows.api.js';
import type { Project } from '../../sites/project/project.record.js';
import { type Visitor, visitorAt } from '../run/function-runs.api.js';
import { mustHold, refusedCall } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';
import { grantedSite, siteReadOnly } from './granted-site.js';
import { TablesArguments } from './tables-arguments.js';
import { type TablesMember, tablesMembers } from './tables-members.js';

interface SiteOfCall {
  readonly projectId: string;
  readonly args: readonly Json[];
  readonly readsOnly?: boolean;
}

/** One place in ctx where tables stand. */
interface Place {
  /** The names of its members below ctx begin with this. */
  readonly under: string;
  /** What code writes before a member's name. */
  readonly written: string;
  /** How its documentation lines end. */
  readonly needs: string;
  /** The site whose base it is, and the arguments that remain. @throws CapabilityRefused */
  site(scope: RunScope, args: readonly Json[]): SiteOfCall;
  /** Whose rules are judged; null: none are, it acts for the owner. */
  visitor(scope: RunScope): Visitor | null;
}

const own: Place['site'] = ({ function: { projectId = '' } }, args) => ({ projectId, args });
const owner = () => null;

const places: readonly Place[] = [
  { under: 'tables', written: 'ctx.tables', needs: '', site: own, visitor: visitorOf },
  {
    under: 'service.tables',
    written: 'ctx.service.tables',
    needs: ' Whatever the access rules say. Needs Full data access.',
    site: (scope, args) => {
      mustHold(scope, 'service', 'ctx.service.tables');
      return own(scope, args);
    },
    visitor: owner,
  },
  {
    under: 'sites.tables',
    written: "ctx.sites['<name or id>'].tables",
    needs: ' Needs the site in grants.bases.',
    site: (scope, [projectId, ...args]) => ({ ...grantedSite(scope, projectId), args }),
    visitor: visitorOf,
  },
];

/** `ctx.tables` (Sites API, Code context): the tables of a site's base, in functions of the site and of the workspace. */
@Injectable()
export class Tables {
  readonly makers: readonly CapabilityMaker[] = places.flatMap((place) =>
    tablesMembers.map((member) => ({
      usage: `${place.written}.${member.name}${member.usage}${place.needs}`,
      make: (scope) => this.capability(place, member, scope),
    })),
  );

  constructor(
    private readonly rows: Rows,
    private readonly calls: Calls,
    private readonly reads: Reads,
    private readonly policies: SitePolicies,
  ) {}

  private capability(place: Place, member: TablesMember, scope: RunScope): Capability {
    const usage = `${place.written}.${member.name}${member.usage.slice(0, member.usage.indexOf('): ') + 1)}`;
    return {
      name: `${place.under}.${member.name}`,
      call: async (args) => {
        mustNotDelete(scope, member, place);
        const site = place.site(scope, args);
        try {
          const { linkedBaseId: baseId, name } = await this.projectOf(scope.request.workspaceId, site.projectId);
          if (site.readsOnly && member.does !== undefined) throw siteReadOnly(name);
          const actor = functionActor(scope.function, scope.request.actor);
          const call = this.calls.within(scope.request, actor, `${place.written}.${member.name}`);
          const access = { call, who: await this.callerOf(place, scope, site.projectId), baseId };
          return await member.run(this.rows, access, new TablesArguments(site.args, usage));
        } catch (error) {
          throw refusedCall(error);
        }
      },
    };
  }

  private async callerOf(place: Place, scope: RunScope, projectId: string): Promise<RowCaller> {
    const visitor = place.visitor(scope);
    if (visitor === null) return { as: 'owner' };
    const policies = await this.policies.of(scope.request.workspaceId, projectId);
    return { as: 'user', asking: visitorAt(visitor, projectId), policies };
  }

  private async projectOf(workspaceId: string, projectId: string): Promise<Project> {
    const project = await this.reads.get<Project>(workspaceId, 'projects', projectId);
    if (project !== undefined) return project;
    throw new CapabilityRefused('The site is gone, and its tables with it.', 'project-not-found', 404);
  }
}

/**
 * The visitor or user of the site who stands behind the run; nobody without one, or where the function acts as the
 * workspace (Automations API, setFunctionIdentityMode).
 */
function visitorOf({ request: { visitor }, function: { identityMode } }: RunScope): Visitor | null {
  return visitor === undefined || identityMode === 'workspace' ? null : visitor;
}

/** A run that a key started which never deletes takes nothing away either. */
function mustNotDelete({ request }: RunScope, { does, name }: TablesMember, { written }: Place): void {
  if (does !== 'delete' || !request.neverDeletes) return;
  throw new CapabilityRefused(
    `${written}.${name} was refused: this run was started by a key that never deletes.`,
    'key-never-deletes',
    403,
  );
}
