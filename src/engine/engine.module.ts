import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeTargets } from './approvals/change-targets.js';
import { SealedCalls } from './approvals/sealed-calls.js';
import { AssistantQuestions } from './assistant/assistant-questions.js';
import { ClusterMembership } from './cluster/cluster-membership.js';
import { LeaseKeeper } from './cluster/lease-keeper.js';
import { StoreRetry } from './cluster/store-retry.js';
import { AggregateLoader } from './commands/aggregate-loader.js';
import { CommandRunner } from './commands/command-runner.js';
import { RecordLimit } from './commands/record-limit.js';
import { RecordRestore } from './commands/record-restore.js';
import { RecordTexts } from './commands/record-texts.js';
import { RelatedAppends } from './commands/related-changes.js';
import { UniqueNameLookup } from './commands/unique-name-lookup.js';
import { DueSweeps } from './due/due-sweeps.js';
import { DecisionExplainers } from './explain/decision-explainers.js';
import { DecisionIds } from './explain/decision-ids.js';
import { PowerDecisions } from './explain/power-decisions.js';
import { RightsDecisions } from './explain/rights-decisions.js';
import { RuleDecisions } from './explain/rule-decisions.js';
import { Metrics } from './health/metrics.js';
import { Readiness } from './health/readiness.js';
import { JobParts } from './jobs/job.js';
import { Jobs } from './jobs/jobs.js';
import { Journal } from './journal/journal.js';
import { Membership } from './lifecycle/membership.js';
import { Workers } from './lifecycle/workers.js';
import { EventFeeds } from './messages/event-feed.js';
import { LogHead } from './messages/log-head.js';
import { LogIdentity } from './messages/log-identity.js';
import { MessageRecovery } from './messages/message-recovery.js';
import { Calls } from './operation/calls.js';
import { Dependents } from './ownership/dependents.js';
import { PersonalData } from './personal-data/personal-data.js';
import { SubjectKeys } from './personal-data/subject-keys.js';
import { IdempotencyStore } from './pipeline/idempotency-store.js';
import { ProjectionMaintenance } from './projections/projection-maintenance.js';
import { ProjectionRunner } from './projections/projection-runner.js';
import { ReadModelChanges } from './projections/read-model-changes.js';
import { HourlyQuota } from './quotas/hourly-quota.js';
import { RecordingQuota } from './quotas/recording-quota.js';
import { Freshness } from './read-models/freshness.js';
import { NewerRecords } from './read-models/newer-records.js';
import { ReadYourWrites } from './read-models/read-your-writes.js';
import { RemoteReadModels } from './read-models/remote-read-models.js';
import { WhileUnchanged } from './read-models/while-unchanged.js';
import { RecordedSecrets } from './records/recorded-secrets.js';
import { JournalRetention } from './retention/journal-retention.js';
import { ReplaySwitches } from './retention/replay-switches.js';
import { Retention } from './retention/retention.js';
import { SagaRetries } from './sagas/saga-retries.js';
import { SagaRunner } from './sagas/saga-runner.js';
import { Reads } from './scopes/reads.js';
import { RecordScopes } from './scopes/record-scopes.js';
import { Scopes } from './scopes/scopes.js';
import { Targets } from './scopes/targets.js';
import { StepAttempts } from './step-work/step-attempts.js';
import { StepJournal } from './step-work/step-journal.js';
import { StepKinds } from './step-work/step-kinds.js';
import { StepRetention } from './step-work/step-retention.js';
import { StepRuns } from './step-work/step-runs.js';
import { StepSettling } from './step-work/step-settling.js';
import { StepStates } from './step-work/step-states.js';
import { StepWork } from './step-work/step-work.js';
import { StepWorker } from './step-work/step-worker.js';

const parts = [
  AggregateLoader,
  AssistantQuestions,
  SealedCalls,
  Calls,
  ChangeTargets,
  CommandRunner,
  DecisionExplainers,
  DecisionIds,
  DueSweeps,
  Dependents,
  EventFeeds,
  Freshness,
  NewerRecords,
  JobParts,
  Jobs,
  ClusterMembership,
  Journal,
  JournalRetention,
  HourlyQuota,
  LeaseKeeper,
  LogHead,
  LogIdentity,
  MessageRecovery,
  Membership,
  Metrics,
  UniqueNameLookup,
  PersonalData,
  StoreRetry,
  PowerDecisions,
  ProjectionMaintenance,
  ProjectionRunner,
  ReadModelChanges,
  RemoteReadModels,
  Readiness,
  RecordRestore,
  Reads,
  IdempotencyStore,
  RecordLimit,
  RecordTexts,
  RecordedSecrets,
  RecordingQuota,
  ReplaySwitches,
  Retention,
  RightsDecisions,
  RuleDecisions,
  SagaRetries,
  SagaRunner,
  Scopes,
  RecordScopes,
  RelatedAppends,
  StepAttempts,
  StepJournal,
  StepKinds,
  StepRetention,
  StepRuns,
  StepSettling,
  StepStates,
  StepWork,
  StepWorker,
  SubjectKeys,
  Targets,
  ReadYourWrites,
  WhileUnchanged,
  Workers,
];

@Global()
@Module({ imports: [CqrsModule.forRoot(), DiscoveryModule], providers: parts, exports: parts })
export class EngineModule {}
