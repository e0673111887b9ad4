import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { keepsInputs } from '../../engine/retention/replay-switches.js';
import { RunFiles } from '../functions/ctx/run-files.api.js';
import { goneReason } from './gone-reason.js';
import { CreateMailhookHandler } from './mailhook/create-mailhook.handler.js';
import { InboundForgetting } from './mailhook/inbound-forgetting.api.js';
import { InboundJournal } from './mailhook/inbound-journal.api.js';
import { inboundJob } from './mailhook/inbound-requests.api.js';
import { InboundRetention } from './mailhook/inbound-retention.js';
import { InboundSteps } from './mailhook/inbound-steps.js';
import { InboundWork } from './mailhook/inbound-work.js';
import { ListInboundEmailsHandler } from './mailhook/list-inbound-emails.handler.js';
import { ListMailhooksHandler } from './mailhook/list-mailhooks.handler.js';
import { deleteMailhook } from './mailhook/mailhook.js';
import { mailhookHandlers } from './mailhook/mailhook.operations.js';
import { mailhooks } from './mailhook/mailhook.record.js';
import { MailhookTargets } from './mailhook/mailhook-targets.js';
import { RerunInboundEmailHandler } from './mailhook/rerun-inbound-email.handler.js';
import { StartedFiles } from './mailhook/started-files.js';
import { StartedMailFiles } from './mailhook/started-mail-files.js';
import { UpdateMailhookHandler } from './mailhook/update-mailhook.handler.js';
import { ActiveSchedules } from './schedule/active-schedules.js';
import { CreateScheduleHandler } from './schedule/create-schedule.handler.js';
import { NewSchedules } from './schedule/new-schedules.js';
import { OccurrenceJournal } from './schedule/occurrence-journal.js';
import { endSchedule } from './schedule/schedule.js';
import { scheduleHandlers } from './schedule/schedule.operations.js';
import { schedules } from './schedule/schedule.record.js';
import { ScheduleBlocks } from './schedule/schedule-blocks.js';
import { ScheduleClockwork } from './schedule/schedule-clockwork.js';
import { ScheduleDeletion } from './schedule/schedule-deletion.api.js';
import { ScheduleListing } from './schedule/schedule-listing.api.js';
import { ScheduleSettling } from './schedule/schedule-settling.js';
import { siteScheduleHandlers } from './schedule/site-schedule.handler.js';
import { SiteSchedules } from './schedule/site-schedules.js';
import { CreateTargetWebhookHandler, CreateWebhookHandler } from './webhook/create-webhook.handler.js';
import { DeleteWebhookHandler } from './webhook/delete-webhook.handler.js';
import {
  ListAllWebhooksHandler,
  ListTargetTriggersHandler,
  ListTriggersHandler,
  TargetTriggers,
} from './webhook/list-webhooks.handler.js';
import { NewWebhooks } from './webhook/new-webhooks.js';
import { SetWebhookVerificationHandler } from './webhook/set-webhook-verification.handler.js';
import { webhookHandlers } from './webhook/webhook.operations.js';
import { webhooks } from './webhook/webhook.record.js';
import { webhooksEndWithTargets } from './webhook/webhook-dependents.js';
import { WebhookSwitch } from './webhook/webhook-switch.api.js';
import { WebhookVerifier } from './webhook/webhook-verifier.api.js';

/** Starts targets from outside or by the clock: webhooks, schedules, mailhooks. */
export const triggersSlices: readonly Slice[] = [
  slice(webhooks, [
    CreateWebhookHandler,
    CreateTargetWebhookHandler,
    ...webhookHandlers,
    SetWebhookVerificationHandler,
    DeleteWebhookHandler,
    ListTriggersHandler,
    ListTargetTriggersHandler,
    ListAllWebhooksHandler,
    TargetTriggers,
    NewWebhooks,
    webhooksEndWithTargets,
    WebhookVerifier,
    WebhookSwitch,
    keepsInputs('webhook', webhooks, (keepInput) => ({ type: 'WebhookReplaySwitched' as const, data: { keepInput } })),
  ]),
  slice(schedules, [
    ...scheduleHandlers,
    CreateScheduleHandler,
    ...siteScheduleHandlers,
    SiteSchedules,
    NewSchedules,
    endsWithOwners(schedules, endSchedule),
    keepsInputs('schedule', schedules, (keepInput) => ({
      type: 'ScheduleReplaySwitched' as const,
      data: { keepInput },
    })),
  ]),
  ActiveSchedules,
  ScheduleBlocks,
  OccurrenceJournal,
  ScheduleClockwork,
  ScheduleSettling,
  ScheduleDeletion,
  ScheduleListing,
  slice(mailhooks, [
    ...mailhookHandlers,
    CreateMailhookHandler,
    UpdateMailhookHandler,
    ListMailhooksHandler,
    keepsInputs('mailhook', mailhooks, (keepInput) => ({
      type: 'MailhookReplaySwitched' as const,
      data: { keepInput },
    })),
    MailhookTargets,
    endsWithOwners(mailhooks, (_, target) => deleteMailhook(goneReason(target))),
  ]),
  ListInboundEmailsHandler,
  RerunInboundEmailHandler,
  InboundForgetting,
  InboundJournal,
  InboundRetention,
  InboundSteps,
  InboundWork,
  job(inboundJob, InboundWork),
  StartedMailFiles,
  { provide: RunFiles, useClass: StartedFiles },
];
