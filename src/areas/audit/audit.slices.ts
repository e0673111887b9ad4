import { type Provider } from '@nestjs/common';
import { ShownEvents } from '../../engine/dry-run/shown-events.js';
import { explainAccessOperations } from './access-explanation/explain-access.operations.js';
import { ruleExplanations } from './access-explanation/explain-rule-decision.js';
import { ExplainedResources } from './access-explanation/explained-resources.js';
import { Explanations } from './access-explanation/explanations.js';
import { decisionOperations } from './decision/explain-decision.operations.js';
import { auditOperations } from './reading/audit.operations.js';
import { AuditReading } from './reading/audit-reading.api.js';
import { CauseChains } from './reading/cause-chains.js';
import { CauseGraph } from './reading/cause-graph.js';
import { LinesOfChanges } from './reading/changed-lines.js';
import { DryRunEvents } from './reading/dry-run-events.js';
import { EventList } from './reading/event-list.js';
import { HistoryPages } from './reading/history-page.js';
import { UndoneEvents } from './reading/undone-events.js';
import { AuditExport } from './seal/audit-export.api.js';
import { AuditSealer } from './seal/audit-sealer.js';
import { AuditVerification } from './seal/audit-verification.api.js';
import { LastHeads } from './seal/last-heads.api.js';
import { RecordedSeals } from './seal/recorded-seals.js';
import { sealOperations } from './seal/seal.operations.js';
import { SealKey } from './seal/seal-key.api.js';
import { Sealing } from './seal/sealing.js';
import { PastStates } from './states/past-states.api.js';
import { StateAt } from './states/state-at.api.js';
import { StateView } from './states/state-view.api.js';
import { stateOperations } from './states/states.operations.js';
import { ChangeUndo } from './undo/change-undo.js';
import { ReturningDependents } from './undo/returning-dependents.api.js';
import { undoOperations } from './undo/undo.operations.js';

const seal = [
  SealKey,
  RecordedSeals,
  Sealing,
  AuditSealer,
  ...sealOperations,
  LastHeads,
  AuditVerification,
  AuditExport,
];
const states = [StateAt, StateView, PastStates, ...stateOperations];
const explanations = [
  ...explainAccessOperations,
  ExplainedResources,
  Explanations,
  ...ruleExplanations,
  ...decisionOperations,
];

export const auditSlices: readonly Provider[] = [
  AuditReading,
  CauseGraph,
  HistoryPages,
  LinesOfChanges,
  UndoneEvents,
  CauseChains,
  EventList,
  ...auditOperations,
  { provide: ShownEvents, useClass: DryRunEvents },
  ...seal,
  ...states,
  ...explanations,
  ...undoOperations,
  ChangeUndo,
  ReturningDependents,
];
