import { type AppUserEvent, appUsers } from '../../areas/app-users/app-user/app-user.record.js';
import { type SiteRoleEvent, siteRoles } from '../../areas/app-users/role/site-role.record.js';
import { ReturningDependents } from '../../areas/audit/undo/returning-dependents.api.js';
import { type TableEvent, tables } from '../../areas/bases/table/table.record.js';
import { type FlowEvent, flows } from '../../areas/flows/flow/flow.record.js';
import { accountFunctions, type FunctionEvent, siteFunctions } from '../../areas/functions/function/function.record.js';
import { type ProjectEvent, projects } from '../../areas/sites/project/project.record.js';
import { Sites } from '../../areas/sites/project/sites.api.js';
import { type AgentEvent, agents } from '../../areas/workspace/agent/agent.record.js';
import { Calls } from '../../engine/operation/calls.js';
import { Dependents, type OwnerRules } from '../../engine/ownership/dependents.js';
import { PersonalData } from '../../engine/personal-data/personal-data.js';
import { OwnerSaga } from '../../engine/sagas/owner-saga.js';
import { sagaOf } from '../../engine/sagas/saga.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { OwnerKind } from '../../kernel/record/owners.js';

const rules = {
  /**
   * A project is not `isAlwaysFirst`, because the first page of a new project may be recorded before the project
   * itself.
   */
  project: { kind: 'project', recorded: [projects], together: 200 },
  appUser: { kind: 'appUser', recorded: [appUsers] },
  siteRole: { kind: 'siteRole', recorded: [siteRoles], step: (_, user) => user, isAlwaysFirst: true },
  table: { kind: 'table', recorded: [tables], together: 500, step: (_, first) => first, isAlwaysFirst: true },
  target: {
    kind: 'target',
    recorded: [accountFunctions, siteFunctions, flows, agents],
    step: (_: string, trigger: string) => trigger,
  },
} satisfies { readonly [Kind in OwnerKind]: OwnerRules & { readonly kind: Kind } };

export const deletedProjects = (dependents: Dependents) =>
  new OwnerSaga(
    {
      name: 'delete-contents-of-deleted-projects',
      rules: rules.project,
      deletedBy: ['ProjectDeleted'] satisfies ProjectEvent['type'][],
    },
    dependents,
  );

/** Destroys the key of the user's personal data before it deletes the records that belong to the user. */
export const deletedAppUsers = (dependents: Dependents, personal: PersonalData) =>
  new OwnerSaga(
    {
      name: 'deleted-app-users-are-forgotten',
      rules: rules.appUser,
      deletedBy: ['AppUserDeleted'] satisfies AppUserEvent['type'][],
      // Higher than the default, because deleting a project deletes all its users.
      atOnce: 16,
      first: ({ stream }) => personal.erase(stream),
    },
    dependents,
  );

/** Ignores a role whose project was deleted, because the role's users are then deleted anyway. */
export const deletedRoles = (dependents: Dependents, sites: Sites) =>
  new OwnerSaga(
    {
      name: 'deleted-roles-are-taken-from-users',
      rules: rules.siteRole,
      deletedBy: ['SiteRoleDeleted'] satisfies SiteRoleEvent['type'][],
      skips: async ({ stream, data }) =>
        !(await sites.has(
          parseStream(stream).workspaceId,
          String((data as { readonly projectId: unknown }).projectId),
        )),
    },
    dependents,
  );

/** One saga deletes and restores triggers, so that both happen in log order. */
export const deletedTargets = (dependents: Dependents, returning: ReturningDependents) =>
  new OwnerSaga(
    {
      name: 'deleted-targets-take-their-triggers',
      rules: rules.target,
      deletedBy: ['FunctionDeleted', 'FlowDeleted', 'AgentRemoved'] satisfies (
        | FunctionEvent
        | FlowEvent
        | AgentEvent
      )['type'][],
      beside: {
        types: ['FunctionRestored', 'FlowRestored', 'AgentRestored'],
        react: ({ stream, data }, callFor) =>
          returning.bringBack(
            'target',
            parseStream(stream).workspaceId,
            String((data as { readonly restores: unknown }).restores),
            callFor,
          ),
      },
    },
    dependents,
  );

/**
 * Erases all rows of the table, including those that were deleted before the table. Rows that are recorded later are
 * erased by `lateRows`.
 */
export const deletedTables = (dependents: Dependents) =>
  new OwnerSaga(
    {
      name: 'deleted-tables-take-their-rows',
      rules: rules.table,
      deletedBy: ['TableDeleted'] satisfies TableEvent['type'][],
      leavesLateOnes: true,
    },
    dependents,
  );

export const lateRows = (dependents: Dependents, calls: Calls) => {
  const name = 'rows-end-with-their-table';
  const step = (_category: string, _first: string, table: string) => table;
  return new OwnerSaga(
    {
      name,
      rules: { ...rules.table, step },
      deletedBy: [],
      callsFor: (event) => (named) => calls.because(event, name, named),
    },
    dependents,
  );
};

export const ownerSagas = [
  sagaOf(deletedProjects, Dependents),
  sagaOf(deletedAppUsers, Dependents, PersonalData),
  sagaOf(deletedRoles, Dependents, Sites),
  sagaOf(deletedTargets, Dependents, ReturningDependents),
  sagaOf(deletedTables, Dependents),
  sagaOf(lateRows, Dependents, Calls),
];
