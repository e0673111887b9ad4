import { job } from '../../engine/jobs/jobs.js';
import { endsWithOwners } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { keepsInputs } from '../../engine/retention/replay-switches.js';
import { providesRunFiles } from '../functions/ctx/run-files.api.js';
import { keepsForgottenRuns } from '../functions/run/storage/forgotten-runs.api.js';
import { goneReason } from './gone-reason.js';
import { ForgottenMailRuns } from './mailhook/forgotten-mail-runs.js';
import { inboundEmailOperations } from './mailhook/inbound-email.operations.js';
import { InboundForgetting } from './mailhook/inbound-forgetting.api.js';
import { InboundJournal } from './mailhook/inbound-journal.api.js';
import { inboundJob } from './mailhook/inbound-requests.api.js';
import { InboundRetention } from './mailhook/inbound-retention.js';
import { InboundSteps } from './mailhook/inbound-steps.js';
import { InboundWork } from './mailhook/inbound-work.js';
import { deleteMailhook } from './mailhook/mailhook.js';
import { mailhookOperations } from './mailhook/mailhook.operations.js';
import { mailhooks } from './mailhook/mailhook.record.js';
import { MailhookAddresses } from './mailhook/mailhook-addresses.js';
import { MailhookTargets } from './mailhook/mailhook-targets.js';
import { StartedMailFiles } from './mailhook/started-mail-files.js';
import { ActiveSchedules } from './schedule/active-schedules.js';
import { NewSchedules } from './schedule/new-schedules.js';
import { OccurrenceJournal } from './schedule/occurrence-journal.js';
import { endSchedule } from './schedule/schedule.js';
import { scheduleOperations } from './schedule/schedule.operations.js';
import { schedules } from './schedule/schedule.record.js';
import { ScheduleBlocks } from './schedule/schedule-blocks.js';
import { ScheduleClockwork } from './schedule/schedule-clockwork.js';
import { ScheduleDeletion } from './schedule/schedule-deletion.api.js';
import { ScheduleListing } from './schedule/schedule-listing.api.js';
import { ScheduleSettling } from './schedule/schedule-settling.js';
import { siteScheduleOperations } from './schedule/site-schedule.operations.js';
import { SiteSchedules } from './schedule/site-schedules.js';
import { NewWebhooks } from './webhook/new-webhooks.js';
import { TargetTriggers } from './webhook/target-triggers.js';
import { verificationOperations } from './webhook/verification.operations.js';
import { webhookOperations } from './webhook/webhook.operations.js';
import { webhooks } from './webhook/webhook.record.js';
import { webhooksEndWithTargets } from './webhook/webhook-dependents.js';
import { WebhookList } from './webhook/webhook-list.js';
import { WebhookSwitch } from './webhook/webhook-switch.api.js';
import { WebhookVerifier } from './webhook/webhook-verifier.api.js';

export const triggersSlices: readonly Slice[] = [
  slice(webhooks, [
    ...webhookOperations,
    ...verificationOperations,
    TargetTriggers,
    WebhookList,
    NewWebhooks,
    webhooksEndWithTargets,
    WebhookVerifier,
    WebhookSwitch,
    keepsInputs('webhook', webhooks, (keepInput) => ({ type: 'WebhookReplaySwitched' as const, data: { keepInput } })),
  ]),
  slice(schedules, [
    ...scheduleOperations,
    ...siteScheduleOperations,
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
    ...mailhookOperations,
    keepsInputs('mailhook', mailhooks, (keepInput) => ({
      type: 'MailhookReplaySwitched' as const,
      data: { keepInput },
    })),
    MailhookAddresses,
    MailhookTargets,
    endsWithOwners(mailhooks, (_, target) => deleteMailhook(goneReason(target))),
  ]),
  ...inboundEmailOperations,
  InboundForgetting,
  InboundJournal,
  InboundRetention,
  InboundSteps,
  InboundWork,
  job(inboundJob, InboundWork),
  ForgottenMailRuns,
  keepsForgottenRuns('mailhook', ForgottenMailRuns),
  StartedMailFiles,
  providesRunFiles('mailhook', StartedMailFiles),
];
