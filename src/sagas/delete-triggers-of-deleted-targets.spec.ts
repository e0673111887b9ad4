import { beforeEach, describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import { mailhooks } from '../areas/triggers/mailhook/mailhook.record.js';
import { mailhookEnding } from '../areas/triggers/mailhook/mailhook-ending.js';
import { schedules } from '../areas/triggers/schedule/schedule.record.js';
import { scheduleEnding } from '../areas/triggers/schedule/schedule-ending.js';
import { TriggerDeletion } from '../areas/triggers/trigger-deletion.api.js';
import { webhooks, webhookTokenName } from '../areas/triggers/webhook/webhook.record.js';
import { webhookEnding } from '../areas/triggers/webhook/webhook-ending.js';
import type { AggregateLoader } from '../engine/commands/aggregate-loader.js';
import type { Returns } from '../engine/commands/returns.js';
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
  const deletion = new TriggerDeletion(
    stage.reads,
    stage.runner,
    stage.noting<AggregateLoader>({}),
    stage.noting<Returns>({}),
  );
  deletion.register(webhookEnding(stage.noting<Vault>({ destroy: 'destroys' })));
  deletion.register(scheduleEnding);
  deletion.register(mailhookEnding);
  saga = new DeleteTriggersOfDeletedTargets(deletion);
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
