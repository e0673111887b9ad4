import { type Slice, slice } from '../../engine/records/slice.js';
import { AccountEventLog } from '../functions/ctx/account-event-log.api.js';
import { accountEventOperations } from './account-event/account-event.operations.js';
import { AccountEventRecord } from './account-event/account-event-record.js';
import { builtinOperations } from './builtin/builtin.operations.js';
import { BuiltinEventMapper } from './builtin/builtin-event-mapper.api.js';
import { CauseDepth } from './cause-depth.js';
import { CurrentTriggers } from './event-trigger/current-triggers.api.js';
import { eventTriggerOperations } from './event-trigger/event-trigger.operations.js';
import { eventTriggers } from './event-trigger/event-trigger.record.js';
import { projectDetailsOperations } from './event-trigger/project-details.operations.js';
import { ProjectTriggers } from './event-trigger/project-triggers.js';
import { TriggerHistory } from './event-trigger/trigger-history.api.js';
import { TriggerSites } from './event-trigger/trigger-sites.js';
import { TriggerSnapshots } from './event-trigger/trigger-snapshots.api.js';
import { TriggerTargets } from './event-trigger/trigger-targets.js';
import { TriggerView } from './event-trigger/trigger-view.js';
import { Causes } from './trigger-run/causes.api.js';
import { FanOut } from './trigger-run/fan-out.api.js';
import { TargetAvailability } from './trigger-run/target-availability.js';
import { FiredStarts } from './trigger-run/target-starts.js';
import { TriggerChains } from './trigger-run/trigger-chains.js';
import { triggerRunOperations } from './trigger-run/trigger-run.operations.js';
import { TriggerRunJournal } from './trigger-run/trigger-run-journal.api.js';
import { TriggerRunRetention } from './trigger-run/trigger-run-retention.js';

export const accountEventsSlices: readonly Slice[] = [
  AccountEventRecord,
  { provide: AccountEventLog, useExisting: AccountEventRecord },
  ...accountEventOperations,
  CauseDepth,
  ...builtinOperations,
  BuiltinEventMapper,
  slice(eventTriggers, [
    ...eventTriggerOperations,
    TriggerTargets,
    TriggerSites,
    TriggerView,
    ...projectDetailsOperations,
    ProjectTriggers,
    TriggerHistory,
    TriggerSnapshots,
    CurrentTriggers,
  ]),
  ...triggerRunOperations,
  FanOut,
  Causes,
  TriggerChains,
  TargetAvailability,
  FiredStarts,
  TriggerRunJournal,
  TriggerRunRetention,
];
