import { Reads } from '../../../../engine/scopes/reads.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { type Visitor, visitorAt } from '../../../access/judging/visitor.api.js';
import { SitePolicies } from '../../../access/policy/site-policies.api.js';
import { type RowCaller, Rows } from '../../../bases/row/rows.api.js';
import type { Project } from '../../../sites/project/project.record.js';
import { type CtxMember, ctxMember, writtenAs } from '../ctx-member.js';
import { siteReadOnly } from '../ctx-refusals.js';
import type { RunScope } from '../run-scope.js';
import { TablesArguments } from '../tables-arguments.js';
import { type TablesMember, tablesMembers } from './tables-members.js';

/**
 * The groups have the same members, but differ in the rights with which they read and change rows (Sites API, Code
 * context).
 */
interface TablesGroup extends Pick<CtxMember, 'owner' | 'power'> {
  readonly group: string;
  readonly also?: string;
  /** Null means that the call has the rights of the site's owner. */
  visitor(scope: RunScope): Visitor | null;
}

const groups: readonly TablesGroup[] = [
  { group: 'tables', owner: 'project', visitor: visitorOf },
  {
    group: 'service.tables',
    owner: 'project',
    power: 'service',
    also: ' Access rules do not apply.',
    visitor: () => null,
  },
  { group: 'sites.tables', owner: 'workspace', visitor: visitorOf },
];

const member = ctxMember({ rows: Rows, reads: Reads, policies: SitePolicies });

export const tableMembers: readonly CtxMember[] = groups.flatMap(({ group, also = '', visitor, ...rights }) =>
  Object.entries<TablesMember>(tablesMembers).map(([key, { usage, does, run }]) => {
    const name = `${group}.${key}`;
    const written = writtenAs(name);
    const called = `${written}${usage.slice(0, usage.indexOf('): ') + 1)}`;
    return member({
      ...rights,
      ...(does === 'delete' && {
        deletes: `${written} was refused: this run was started by a key that never deletes.`,
      }),
      name,
      usage: `${usage}${also}`,
      args: (sent) => new TablesArguments(sent, called),
      call: async (args, { scope, site, rows, reads, policies, newCall }) => {
        const { workspaceId } = scope.request;
        const { projectId } = site;
        const { linkedBaseId: baseId, name: siteName } = await projectOf(reads, workspaceId, projectId);
        if (site.readsOnly && does !== undefined) throw siteReadOnly(siteName);
        const who = await callerOf(policies, workspaceId, projectId, visitor(scope));
        return run(rows, { call: newCall(), who, baseId }, args);
      },
    });
  }),
);

async function callerOf(
  policies: SitePolicies,
  workspaceId: string,
  projectId: string,
  visitor: Visitor | null,
): Promise<RowCaller> {
  if (visitor === null) return { as: 'owner' };
  return {
    as: 'user',
    asking: visitorAt(visitor, projectId),
    policies: await policies.of(workspaceId, projectId),
  };
}

async function projectOf(reads: Reads, workspaceId: string, projectId: string): Promise<Project> {
  const project = await reads.get<Project>(workspaceId, 'projects', projectId);
  if (project !== undefined) return project;
  throw new CapabilityRefused('The site was deleted with its tables.', 'project-not-found', 404);
}

/**
 * Returns null if there is no visitor or the function acts as the workspace (Automations API, setFunctionIdentityMode).
 */
function visitorOf({ request: { visitor }, function: { identityMode } }: RunScope): Visitor | null {
  return visitor === undefined || identityMode === 'workspace' ? null : visitor;
}
