import { type Provider } from '@nestjs/common';
import { ShownEvents } from '../../engine/dry-run/shown-events.js';
import { AuditReading } from './reading/audit-reading.api.js';
import { CauseGraph } from './reading/cause-graph.js';
import { LinesOfChanges } from './reading/changed-lines.js';
import { CausesOfHandler, EffectsOfHandler } from './reading/effects-of.handler.js';
import { GetEventHandler } from './reading/get-event.handler.js';
import { GetHistoryHandler } from './reading/get-history.handler.js';
import { HistoryPages } from './reading/history-page.js';
import { ListEventsHandler } from './reading/list-events.handler.js';
import { TrialEvents } from './reading/trial-events.js';
import { UndoneEvents } from './reading/undone-events.js';
import { AuditExport } from './seal/audit-export.api.js';
import { AuditSealer } from './seal/audit-sealer.js';
import { AuditVerification } from './seal/audit-verification.api.js';
import { GetSealHandler } from './seal/get-seal.handler.js';
import { LastHeads } from './seal/last-heads.api.js';
import { RecordedSeals } from './seal/recorded-seals.js';
import { SealKey } from './seal/seal-key.api.js';
import { Sealing } from './seal/sealing.js';
import { PastFolds } from './states/past-folds.api.js';
import { PastStates } from './states/past-states.api.js';
import { StateView } from './states/state-view.api.js';
import { stateHandlers } from './states/states.operations.js';
import { ReturningDependents } from './undo/returning-dependents.api.js';
import { UndoChangeHandler } from './undo/undo-change.handler.js';

const seal = [SealKey, RecordedSeals, Sealing, AuditSealer, GetSealHandler, LastHeads, AuditVerification, AuditExport];
const states = [PastFolds, StateView, PastStates, ...stateHandlers];

/** The audit log: reading, sealing and exporting it. */
export const auditSlices: readonly Provider[] = [
  AuditReading,
  CauseGraph,
  HistoryPages,
  LinesOfChanges,
  UndoneEvents,
  GetEventHandler,
  ListEventsHandler,
  GetHistoryHandler,
  EffectsOfHandler,
  CausesOfHandler,
  { provide: ShownEvents, useClass: TrialEvents },
  ...seal,
  ...states,
  UndoChangeHandler,
  ReturningDependents,
];
