import { triggerRunsProjection } from '../../projections/account-events/trigger-run.projection.js';
import { agentRunsProjection } from '../../projections/agents/agent-run.projection.js';
import { flowRunsProjection } from '../../projections/flows/flow.projection.js';
import { runsProjection } from '../../projections/functions/run.projection.js';
import { mailUsesProjection } from '../../projections/mailboxes/mail-use.projection.js';
import { trafficProjection } from '../../projections/sites/traffic.projection.js';
import { inboundEmailsProjection } from '../../projections/triggers/inbound-email.projection.js';
import { occurrencesProjection } from '../../projections/triggers/occurrence.projection.js';
import { triggerUsesProjection } from '../../projections/triggers/trigger-use.projection.js';
import { apiKeyUsesProjection } from '../../projections/workspace/api-key-use.projection.js';
import type { TriggerRunEvent } from '../../src/areas/account-events/trigger-run/trigger-run.record.js';
import { campaignBatchProjection } from '../../src/areas/campaigns/sending/campaign-batch.projection.js';
import type { CampaignBatchEvent } from '../../src/areas/campaigns/sending/campaign-batch.record.js';
import type { RunEvent } from '../../src/areas/functions/run/run.record.js';
import type { MailEvent, MailUseEvent } from '../../src/areas/mailboxes/mail/mail.record.js';
import type { TrafficEvent, VisitsEvent } from '../../src/areas/sites/traffic/traffic.record.js';
import type { InboundEmailEvent } from '../../src/areas/triggers/mailhook/inbound-email.record.js';
import type { OccurrenceEvent } from '../../src/areas/triggers/schedule/occurrence.record.js';
import type { ApiKeyUseEvent } from '../../src/areas/workspace/api-key/api-key.record.js';
import type { StepRunEvent } from '../../src/engine/step-work/step-run.record.js';
import type { DomainEvent, RecordedEvent } from '../../src/kernel/event/event.js';
import type { Document, DocumentChange, Projection, Where } from '../../src/kernel/record/projection.js';
import { recordCategories, recordKind } from '../../src/kernel/record/record.js';

/** Accepts the events of one history in order, and returns the state after each. */
export type Replay = (event: RecordedEvent) => unknown;

/** How a state is computed from the events of one category of streams. */
export interface Fold {
  readonly category: string;
  readonly types: readonly string[];
  begin(): Replay;
}

/** Returns the documents of the read models by collection, sorted by id. */
export function documentsOf(...projections: readonly Projection[]): Replay {
  const collections = new Map(
    projections.flatMap((one) => Object.keys(one.collections)).map((name) => [name, new Map<string, Document>()]),
  );
  return (event) => {
    for (const change of projections.flatMap((one) => one.changes(event))) {
      const documents = collections.get(change.collection);
      if (documents === undefined) throw new Error(`No read model here declares the collection ${change.collection}.`);
      apply(change, documents);
    }
    return Object.fromEntries([...collections].map(([name, documents]) => [name, sorted(documents)]));
  };
}

function apply(change: DocumentChange, documents: Map<string, Document>): void {
  switch (change.kind) {
    case 'put':
      documents.set(change.id, change.document);
      return;
    case 'step': {
      const next = change.step(documents.get(change.id));
      if (next === undefined) documents.delete(change.id);
      else documents.set(change.id, next);
      return;
    }
    case 'removeWhere':
      for (const [id, document] of documents) if (matches(document, change.where)) documents.delete(id);
      return;
    case 'index':
    case 'dropIndex':
  }
}

/** Supports only the conditions that projections use: equality and `lte`. */
function matches(document: Document, where: Where): boolean {
  const fields = new Map(Object.entries(document));
  return Object.entries(where).every(([field, condition]) => {
    if (typeof condition !== 'object' || condition === null) return fields.get(field) === condition;
    const { lte, ...others } = condition;
    if (lte === undefined || Object.keys(others).length > 0) throw new Error(`${field}: only lte is known here.`);
    return Number(fields.get(field)) <= Number(lte);
  });
}

const sorted = (documents: ReadonlyMap<string, Document>) =>
  [...documents.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

const recordFold = (category: string): Fold => {
  const aggregate = recordKind(category);
  if (aggregate === undefined) throw new Error(`There are no records of the category ${category}.`);
  return {
    category,
    types: aggregate.types,
    begin: () => {
      let state: Document | undefined;
      return (event) => {
        state = aggregate.evolve(state, event);
        return state ?? null;
      };
    },
  };
};

/**
 * Lists every event type of a journal. A new type fails to compile until it is added here, and then needs a history.
 */
const journal =
  <Event extends DomainEvent>() =>
  (
    category: string,
    types: { readonly [Type in Event['type']]: true },
    ...projections: readonly Projection[]
  ): Fold => ({ category, types: Object.keys(types), begin: () => documentsOf(...projections) });

const stepRunTypes = {
  StepRunAccepted: true,
  StepStarted: true,
  StepEnded: true,
  StepReleased: true,
  StepRunEnded: true,
  StepRunsForgotten: true,
} as const;

/** A journal has no fold, so its state is the documents of its read models. */
export const journalFolds: readonly Fold[] = [
  journal<RunEvent>()(
    'run',
    { RunAccepted: true, RunStarted: true, RunEnded: true, RunInputDropped: true, RunsForgotten: true },
    runsProjection,
    triggerUsesProjection,
  ),
  journal<StepRunEvent>()('flowRun', stepRunTypes, flowRunsProjection, triggerUsesProjection),
  journal<StepRunEvent>()('agentRun', stepRunTypes, agentRunsProjection, triggerUsesProjection),
  journal<TriggerRunEvent>()(
    'triggerRun',
    { TriggersFired: true, TriggerRunsNotStarted: true, TriggerRunsEnded: true, TriggerRunsForgotten: true },
    triggerRunsProjection,
  ),
  journal<InboundEmailEvent>()(
    'inboundEmail',
    {
      InboundEmailReceived: true,
      InboundEmailStarted: true,
      InboundEmailSkipped: true,
      InboundEmailDuplicated: true,
      InboundEmailFailed: true,
      InboundEmailRunsForgotten: true,
      InboundEmailsForgotten: true,
    },
    inboundEmailsProjection,
  ),
  journal<OccurrenceEvent>()(
    'occurrence',
    { OccurrenceFired: true, OccurrenceSkipped: true, OccurrencesMissed: true },
    occurrencesProjection,
  ),
  journal<MailEvent>()('mail', { MailSent: true, MailFailed: true, MailsForgotten: true }, mailUsesProjection),
  journal<MailUseEvent>()('mailUse', { MailPlacesTaken: true, MailPlacesGivenBack: true }, mailUsesProjection),
  journal<CampaignBatchEvent>()(
    'campaignBatch',
    {
      CampaignBatchListed: true,
      CampaignBatchClaimed: true,
      CampaignBatchMoved: true,
      CampaignBatchReleased: true,
    },
    campaignBatchProjection,
  ),
  journal<VisitsEvent>()('trafficVisits', { VisitsCounted: true }, trafficProjection),
  journal<TrafficEvent>()('traffic', { TrafficDaySummed: true, TrafficForgotten: true }, trafficProjection),
  journal<ApiKeyUseEvent>()('apiKeyUse', { ApiKeyUsed: true }, apiKeyUsesProjection),
];

/** Call this after `projections/projections.ts` has been loaded, which declares the records of the areas. */
export const recordFolds = (): readonly Fold[] => recordCategories().map(recordFold);
