import { beforeEach, describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../../test/support/given/given-saga.js';
import { appUsers } from '../../areas/app-users/app-user/app-user.record.js';
import { holdingRole } from '../../areas/app-users/role/role-holders.js';
import type { ReturningDependents } from '../../areas/audit/undo/returning-dependents.api.js';
import { rows } from '../../areas/bases/row/row.record.js';
import { rowsAsDependents } from '../../areas/bases/row/row-dependents.js';
import { tables } from '../../areas/bases/table/table.record.js';
import { accountFunctions } from '../../areas/functions/function/function.record.js';
import { deleteEntitlement } from '../../areas/payments/entitlement/entitlement.js';
import { entitlements } from '../../areas/payments/entitlement/entitlement.record.js';
import { deletePage } from '../../areas/sites/page/page.js';
import { pages } from '../../areas/sites/page/page.record.js';
import { projects } from '../../areas/sites/project/project.record.js';
import type { Sites } from '../../areas/sites/project/sites.api.js';
import { goneReason } from '../../areas/triggers/gone-reason.js';
import { deleteMailhook } from '../../areas/triggers/mailhook/mailhook.js';
import { mailhooks } from '../../areas/triggers/mailhook/mailhook.record.js';
import { endSchedule } from '../../areas/triggers/schedule/schedule.js';
import { schedules } from '../../areas/triggers/schedule/schedule.record.js';
import { webhooks, webhookTokenName } from '../../areas/triggers/webhook/webhook.record.js';
import { webhookDependents } from '../../areas/triggers/webhook/webhook-dependents.js';
import type { Calls } from '../../engine/operation/calls.js';
import { Dependents, dependentsOf } from '../../engine/ownership/dependents.js';
import type { PersonalData } from '../../engine/personal-data/personal-data.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Vault } from '../../ports/vault.port.js';
import {
  deletedAppUsers,
  deletedProjects,
  deletedRoles,
  deletedTables,
  deletedTargets,
  lateRows,
} from './dependents-end-with-their-owners.saga.js';

let stage: Stage;
let dependents: Dependents;
beforeEach(() => {
  stage = new Stage();
  dependents = new Dependents(stage.runner, stage.reads, stage.loader);
  for (const one of dependentsOf(pages, (page) => deletePage(page))) dependents.register(one);
  for (const one of dependentsOf(entitlements, deleteEntitlement)) dependents.register(one);
  for (const one of webhookDependents(stage.noting<Vault>({ destroy: 'destroys' }))) dependents.register(one);
  for (const one of dependentsOf(schedules, endSchedule)) dependents.register(one);
  for (const one of dependentsOf(mailhooks, (_, target) => deleteMailhook(goneReason(target))))
    dependents.register(one);
  for (const one of rowsAsDependents) dependents.register(one);
  dependents.register(holdingRole);
});
const listed = (id: string, more: object, workspaceId = 'ws_spec') => ({ id, workspaceId, ...more });

describe('a deleted project', () => {
  const gets = (...events: readonly RecordedEvent[]) => givenSaga(deletedProjects(dependents), stage).gets(...events);
  const created = of('page', 'page_1', { type: 'PageCreated', data: { projectId: 'proj_1' } });
  const page = { projectId: 'proj_1' };
  const ended = (id: string, step = id) =>
    ['records', `page-ws_spec.${id}`, 'PageDeleted', { ...page, message: null }, `page/${step}`] as const;

  it('deletes everything that belongs to it in one command for each kind, and nothing else', () => {
    stage.shows('pages', listed('page_1', page), listed('page_2', page), listed('page_3', { projectId: 'proj_2' }));
    stage.holds(pages, 'page_1', page).holds(pages, 'page_2', page);
    return gets(of('project', 'proj_1', { type: 'ProjectDeleted', data: {} })).does(
      ended('page_1'),
      ended('page_2', 'page_1'),
    );
  });

  it('deletes what is recorded after it', () => {
    stage.ended(projects, 'proj_1').holds(pages, 'page_1', page);
    return gets(created).does(ended('page_1'));
  });

  it('is distinguished from an existing one, or one whose first page was recorded a moment before it', async () => {
    stage.holds(pages, 'page_1', page);
    await gets(created).doesNothing();
    stage.holds(projects, 'proj_1', {});
    await gets(created).doesNothing();
  });
});

describe('a deleted user of a site', () => {
  const gets = (event: RecordedEvent) =>
    givenSaga(deletedAppUsers(dependents, stage.noting<PersonalData>({ erase: 'erases' })), stage).gets(event);
  const held = { projectId: 'proj_1', appUserId: 'usr_1', key: 'pro' };
  const ended = ['records', 'entitlement-ws_spec.ent_1', 'EntitlementDeleted', held, 'entitlement/ent_1'] as const;

  it('is forgotten first, and then what belongs to the user is deleted', () => {
    stage.shows('entitlements', listed('ent_1', held), listed('ent_2', { ...held, appUserId: 'usr_2' }));
    stage.holds(entitlements, 'ent_1', held);
    const data = { projectId: 'proj_1', passwordId: null };
    return gets(of('appUser', 'usr_1', { type: 'AppUserDeleted', data })).does(
      ['erases', 'appUser-ws_spec.usr_1'],
      ended,
    );
  });

  it('deletes what is recorded for the user a moment later', () => {
    stage.ended(appUsers, 'usr_1').holds(entitlements, 'ent_1', held);
    return gets(of('entitlement', 'ent_1', { type: 'EntitlementGranted', data: held })).does(ended);
  });
});

describe('a deleted role', () => {
  const gets = (event: RecordedEvent, siteIsThere = true) =>
    givenSaga(deletedRoles(dependents, { has: async () => siteIsThere } as unknown as Sites), stage).gets(event);
  const deleted = of('siteRole', 'role_1', { type: 'SiteRoleDeleted', data: { projectId: 'proj_1' } });
  const data = { projectId: 'proj_1', roleId: 'role_1' };
  const taken = ['records', 'appUser-ws_spec.usr_1', 'AppUserRoleUnassigned', data, 'usr_1'] as const;
  beforeEach(() => {
    stage.shows('roleAssignments', listed('usr_1 role_1', { userId: 'usr_1', roleId: 'role_1' }));
    stage.holds(appUsers, 'usr_1', { projectId: 'proj_1', roleIds: ['role_2', 'role_1'] });
  });

  it('is removed from every user who has it', () => gets(deleted).does(taken));

  it('is removed from a user who got it a moment later', () =>
    gets(of('appUser', 'usr_1', { type: 'AppUserRoleAssigned', data })).does(taken));

  it('of a deleted site is deleted with its users', () => gets(deleted, false).does());
});

describe.each([
  ['function', 'FunctionDeleted', 'function-deleted'],
  ['flow', 'FlowDeleted', 'target-gone'],
  ['agent', 'AgentRemoved', 'target-gone'],
])('a deleted %s', (category, type, reason) => {
  const gets = (event: RecordedEvent) =>
    givenSaga(deletedTargets(dependents, stage.noting<ReturningDependents>({ bringBack: 'brings back' })), stage).gets(
      event,
    );
  beforeEach(() => {
    const trigger = (id: string, targetRef: string, workspaceId = 'ws_spec') => listed(id, { targetRef }, workspaceId);
    stage.shows('webhooks', trigger('wh_1', 'x_1'), trigger('wh_2', 'x_2'), trigger('wh_3', 'x_1', 'ws_other'));
    stage.shows('schedules', trigger('sc_1', 'x_1'), trigger('sc_2', 'x_2'), trigger('sc_3', 'x_1'));
    stage.shows('mailhooks', trigger('mh_1', 'x_1'), trigger('mh_2', 'x_2'));
    stage.holds(webhooks, 'wh_1', { id: 'wh_1', verification: null });
    stage.holds(schedules, 'sc_1', { id: 'sc_1' }).holds(mailhooks, 'mh_1', { id: 'mh_1' });
    stage.holds(schedules, 'sc_3', { id: 'sc_3', targetKind: 'site_function' });
  });

  it('deletes its webhooks, schedules and mailhooks, and no others', () =>
    gets(of(category, 'x_1', { type, data: {} })).does(
      ['destroys', webhookTokenName('ws_spec', 'wh_1')],
      ['records', 'webhook-ws_spec.wh_1', 'WebhookDeleted', { reason, drops: [] }, 'wh_1'],
      ['records', 'schedule-ws_spec.sc_1', 'ScheduleDeleted', { reason }, 'sc_1'],
      ['records', 'mailhook-ws_spec.mh_1', 'MailhookDeleted', { reason }, 'mh_1'],
    ));

  it('that started nothing deletes nothing', () => gets(of(category, 'x_9', { type, data: {} })).doesNothing());

  it('deletes a mailhook that was created during the deletion', () => {
    const made = of('mailhook', 'mh_1', { type: 'MailhookCreated', data: { targetRef: 'x_1' } });
    stage.ended(accountFunctions, 'x_1');
    const reasonOfFunction = { reason: 'function-deleted' };
    return gets(made).does(['records', 'mailhook-ws_spec.mh_1', 'MailhookDeleted', reasonOfFunction, 'mh_1']);
  });

  it('restores those that were deleted with it, when it is restored', () =>
    gets(of(category, 'x_1', { type: type.replace(/Deleted|Removed/, 'Restored'), data: { restores: 'ended' } })).does([
      'brings back',
      'target',
      'ws_spec',
      'ended',
      expect.any(Function),
    ]));
});

it('a function that was restored since keeps the triggers that it got after the deletion', () => {
  const triggers = [listed('sc_old', { targetRef: 'fn_1' }), listed('sc_moved', { targetRef: 'fn_1' })];
  stage.shows('schedules', ...triggers, listed('sc_new', { targetRef: 'fn_1' })).holds(accountFunctions, 'fn_1', {});
  for (const id of ['sc_old', 'sc_moved', 'sc_new']) stage.holds(schedules, id, { id });
  Object.assign(stage.loader, {
    async *at({ category }: { readonly category: string }) {
      if (category !== schedules.category) return;
      yield listed('sc_old', { targetRef: 'fn_1' });
      yield listed('sc_moved', { targetRef: 'fn_2' });
    },
  });
  return givenSaga(deletedTargets(dependents, stage.noting<ReturningDependents>({})), stage)
    .gets(of('function', 'fn_1', { type: 'FunctionDeleted', data: {} }))
    .does(['records', 'schedule-ws_spec.sc_old', 'ScheduleDeleted', { reason: 'function-deleted' }, 'sc_old']);
});

describe('a deleted table', () => {
  const erased = (id: string, step: string) =>
    ['records', `row-ws_spec.${id}`, 'RowErased', { tableId: 'tbl_1' }, step] as const;
  beforeEach(() => {
    for (const id of ['row_1', 'row_2', 'row_3']) stage.holds(rows, id, {});
  });

  it('deletes all its rows, including earlier deleted ones, and no others', () => {
    const ofTable = (id: string, tableId: string | null, deletedFrom: string | null = null) =>
      listed(id, { tableId, deletedFrom });
    stage.shows('rows', ofTable('row_1', 'tbl_1'), ofTable('row_2', null, 'tbl_1'), ofTable('row_3', 'tbl_2'));
    const deleted = of('table', 'tbl_1', { type: 'TableDeleted', data: { baseId: 'base_1', projectId: null } });
    return givenSaga(deletedTables(dependents), stage)
      .gets(deleted)
      .does(erased('row_1', 'row_1'), erased('row_2', 'row_2'));
  });

  it('deletes rows that are recorded after it, those of one table in one command', () => {
    const because = ({ metadata }: RecordedEvent, saga: string, step: string) => ({
      workspaceId: metadata.workspaceId,
      commandId: `${saga}/${step}`,
    });
    const created = (id: string, tableId: string) => of('row', id, { type: 'RowCreated', data: { tableId } });
    const restored = of('row', 'row_1', { type: 'RowRestored', data: { tableId: 'tbl_1' } });
    stage.holds(tables, 'tbl_2', {});
    const step = 'rows-end-with-their-table/tbl_1';
    return givenSaga(lateRows(dependents, { because } as unknown as Calls), stage)
      .gets(created('row_1', 'tbl_1'), created('row_2', 'tbl_2'), created('row_3', 'tbl_1'), restored)
      .does(erased('row_1', step), erased('row_3', step));
  });
});
