import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AggregateLoader } from './aggregate-loader.js';
import { Additions } from './alongside.js';
import { SealedCalls } from './asking/sealed-calls.js';
import { AssistantQuestions } from './assistant-questions.js';
import { Calls } from './calls.js';
import { ChangeTargets } from './change-targets.js';
import { CommandRunner } from './command-runner.js';
import { DecisionExplainers } from './decision-explainers.js';
import { DecisionIds } from './decision-ids.js';
import { EventFeeds } from './event-feed.js';
import { Freshness } from './freshness.js';
import { Joining } from './joining.js';
import { Journal } from './journal/journal.js';
import { LeaseKeeper } from './lease-keeper.js';
import { LogHead } from './log-head.js';
import { LogIdentity } from './log-identity.js';
import { LostMessages } from './lost-messages.js';
import { Metrics } from './metrics.js';
import { NameHolders } from './name-holders.js';
import { NewerRecords } from './newer-records.js';
import { Outages } from './outages.js';
import { Dependents } from './ownership/dependents.js';
import { PersonalData } from './personal-data/personal-data.js';
import { SubjectKeys } from './personal-data/subject-keys.js';
import { PowerDecisions } from './power-decisions.js';
import { ProjectionMaintenance } from './projection-maintenance.js';
import { ProjectionRunner } from './projection-runner.js';
import { ReadModelChanges } from './read-model-changes.js';
import { Readiness } from './readiness.js';
import { Reads } from './reads.js';
import { Receipts } from './receipts.js';
import { RecordLimit } from './record-limit.js';
import { RecordScopes } from './record-scopes.js';
import { RecordTexts } from './record-texts.js';
import { RecordingQuota } from './recording-quota.js';
import { RemoteReadModels } from './remote-read-models.js';
import { ReplaySwitches } from './replay-switches.js';
import { JournalRetention } from './retention/journal-retention.js';
import { Retention } from './retention/retention.js';
import { Returns } from './returns.js';
import { RightsDecisions } from './rights-decisions.js';
import { RuleDecisions } from './rule-decisions.js';
import { SagaRetries } from './saga-retries.js';
import { SagaRunner } from './saga-runner.js';
import { Scopes } from './scopes.js';
import { StepAttempts } from './step-work/step-attempts.js';
import { StepJournal } from './step-work/step-journal.js';
import { StepKinds } from './step-work/step-kinds.js';
import { StepRetention } from './step-work/step-retention.js';
import { StepRuns } from './step-work/step-runs.js';
import { StepSettling } from './step-work/step-settling.js';
import { StepStates } from './step-work/step-states.js';
import { StepWork } from './step-work/step-work.js';
import { StepWorker } from './step-work/step-worker.js';
import { Targets } from './targets.js';
import { Watermark } from './watermark.js';
import { WhileUnchanged } from './while-unchanged.js';

const parts = [
  AggregateLoader,
  AssistantQuestions,
  SealedCalls,
  Calls,
  ChangeTargets,
  CommandRunner,
  DecisionExplainers,
  DecisionIds,
  Dependents,
  EventFeeds,
  Freshness,
  NewerRecords,
  Joining,
  Journal,
  JournalRetention,
  LeaseKeeper,
  LogHead,
  LogIdentity,
  LostMessages,
  Metrics,
  NameHolders,
  PersonalData,
  Outages,
  PowerDecisions,
  ProjectionMaintenance,
  ProjectionRunner,
  ReadModelChanges,
  RemoteReadModels,
  Readiness,
  Returns,
  Reads,
  Receipts,
  RecordLimit,
  RecordTexts,
  RecordingQuota,
  ReplaySwitches,
  Retention,
  RightsDecisions,
  RuleDecisions,
  SagaRetries,
  SagaRunner,
  Scopes,
  RecordScopes,
  Additions,
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
  Watermark,
  WhileUnchanged,
];

/** Written once, used by every area. */
@Global()
@Module({ imports: [CqrsModule.forRoot()], providers: parts, exports: parts })
export class EngineModule {}
