import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given-saga.js';
import { mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { MailhookDeletion } from '../areas/triggers/mailhook/mailhook-deletion.api.js';
import { schedules } from '../areas/triggers/schedule/schedule.record.js';
import { ScheduleDeletion } from '../areas/triggers/schedule/schedule-deletion.api.js';
import { webhooks, webhookTokenName } from '../areas/triggers/webhook/webhook.record.js';
import { WebhookDeletion } from '../areas/triggers/webhook/webhook-deletion.api.js';
import type { Vault } from '../ports/vault.port.js';
import { DeleteTriggersOfDeletedTargets } from './delete-triggers-of-deleted-targets.saga.js';

let stage: Stage;
let saga: DeleteTriggersOfDeletedTargets;
beforeEach(() => {
  stage = new Stage();
  const trigger = (id: string, targetRef: string, workspaceId = 'ws_spec') => ({ id, workspaceId, targetRef });
  stage.shows('webhooks', trigger('wh_1', 'x_1'), trigger('wh_2', 'x_2'), trigger('wh_3', 'x_1', 'ws_other'));
  stage.shows('schedules', trigger('sc_1', 'x_1'), trigger('sc_2', 'x_2'));
  stage.shows('mailhooks', trigger('mh_1', 'x_1'), trigger('mh_2', 'x_2'));
  stage.holds(webhooks, 'wh_1', { id: 'wh_1', verification: null });
  stage.holds(schedules, 'sc_1', { id: 'sc_1' }).holds(mailhooks, 'mh_1', { id: 'mh_1' });
  saga = new DeleteTriggersOfDeletedTargets(
    new WebhookDeletion(stage.reads, stage.runner, stage.noting<Vault>({ destroy: 'destroys' })),
    new ScheduleDeletion(stage.reads, stage.runner),
    new MailhookDeletion(stage.reads, stage.runner),
  );
});

describe.each([
  ['function', 'FunctionDeleted', 'function-deleted'],
  ['flow', 'FlowDeleted', 'target-gone'],
  ['agent', 'AgentRemoved', 'target-gone'],
])('a deleted %s', (category, type, reason) => {
  it('takes its webhooks, schedules and mailhooks with it, and no others', () =>
    givenSaga(saga, stage)
      .gets(of(category, 'x_1', { type, data: {} }))
      .does(
        ['destroys', webhookTokenName('ws_spec', 'wh_1')],
        ['records', 'webhook-ws_spec.wh_1', 'WebhookDeleted', { reason, drops: [] }, 'wh_1'],
        ['records', 'schedule-ws_spec.sc_1', 'ScheduleDeleted', { reason }, 'sc_1'],
        ['records', 'mailhook-ws_spec.mh_1', 'MailhookDeleted', { reason }, 'mh_1'],
      ));

  it('that started nothing takes nothing', () =>
    givenSaga(saga, stage)
      .gets(of(category, 'x_9', { type, data: {} }))
      .doesNothing());
});
