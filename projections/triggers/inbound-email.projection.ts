import type { RecordedRunEvent } from '../../src/areas/functions/run/run.record.js';
import type {
  InboundEmail,
  MailhookUse,
  MailRun,
  MailRunBefore,
  RecordedInboundEmailEvent,
} from '../../src/areas/triggers/mailhook/inbound-email.record.js';
import type { RecordedStepRunEvent } from '../../src/engine/step-work/step-run.record.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import {
  amend,
  type DocumentChange,
  type On,
  projection,
  put,
  removeWhere,
  step,
} from '../../src/kernel/record/projection.js';

type Event = RecordedInboundEmailEvent;
type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

const on: On<Event | RecordedRunEvent | RecordedStepRunEvent> = {
  InboundEmailReceived: (event) => [put<InboundEmail>('inboundEmails', received(event)), counted(event)],
  InboundEmailStarted: (event) => {
    const { runId, targetKind: kind, targetRef: ref, neverDeletes = false } = event.data;
    const target = { kind, ref };
    const run: MailRun = { runId, target, neverDeletes, accepted: false, end: null, error: null, over: [] };
    const next = (mail: InboundEmail): InboundEmail =>
      mail.runs.some((known) => known.runId === runId)
        ? mail
        : { ...mail, outcome: 'started', runs: [...mail.runs, run] };
    return [changed(event.data.mailId, next), passed(event)];
  },
  InboundEmailSkipped: (event) => [
    changed(event.data.mailId, (mail) => ({ ...mail, outcome: 'skipped' })),
    passed(event),
  ],
  InboundEmailDuplicated: (event) => [
    changed(event.data.mailId, (mail) => ({ ...mail, outcome: 'duplicate', of: event.data.of })),
    passed(event),
  ],
  InboundEmailFailed: (event) => [changed(event.data.mailId, (mail) => failed(mail, event.data)), passed(event)],
  InboundEmailRunsForgotten: (event) => [...event.data.runs.map(ended), passed(event)],
  InboundEmailsForgotten: (event) => {
    const { id: mailhookId } = parseStream(event.stream);
    const { throughRevision, receivedCount, lastReceivedAt, gone } = event.data;
    return [
      removeWhere('inboundEmails', { mailhookId, revision: { lte: throughRevision } }),
      gone ? step('mailhookUses', mailhookId, () => undefined) : used(event, () => ({ receivedCount, lastReceivedAt })),
    ];
  },
  RunAccepted: ({ data, metadata }) => ofRun(metadata.causationId, data.runId, (run) => ({ ...run, accepted: true })),
  RunEnded: ({ data: { runId, attempt, error, retryAt }, metadata }) =>
    ofRun(metadata.causationId, runId, (run) => {
      // If two ends of an attempt are recorded, only the first is applied.
      if (run.over.includes(attempt)) return run;
      const end = retryAt !== null ? null : error === null ? 'ok' : 'failed';
      return { ...run, end, error, over: [...run.over, attempt] };
    }),
  StepRunAccepted: ({ stream, metadata }) =>
    ofRun(metadata.causationId, parseStream(stream).id, (run) => ({ ...run, accepted: true })),
  StepRunEnded: ({ data: { runId, error }, metadata }) =>
    ofRun(metadata.causationId, runId, (run) => ({ ...run, end: error === null ? 'ok' : 'failed', error })),
};

export const inboundEmailsProjection = projection({
  name: 'inboundEmails',
  version: 2,
  collections: {
    inboundEmails: {
      indexes: [
        { fields: ['mailhookId', 'position'] },
        { fields: ['mailhookId', 'messageKey', 'position'] },
        { fields: ['mailhookId', 'revision'] },
        { fields: ['mailhookId', 'open', 'position'] },
        { fields: ['open', 'receivedAt'] },
        { fields: ['receivedAt'] },
      ],
    },
    mailhookUses: { indexes: [{ fields: ['workspaceId'] }] },
  },
  on,
});

function received({ stream, revision, position, metadata, data }: Of<'InboundEmailReceived'>): InboundEmail {
  const { workspaceId, id: mailhookId } = parseStream(stream);
  const { mailId, messageKey, size, skip } = data;
  return {
    id: mailId,
    workspaceId,
    mailhookId,
    messageKey,
    size,
    skip,
    receivedAt: metadata.at,
    outcome: 'received',
    error: null,
    of: null,
    runs: [],
    open: true,
    revision,
    position,
  };
}

function failed(mail: InboundEmail, { runId, why, error }: Of<'InboundEmailFailed'>['data']): InboundEmail {
  if (runId === null) return { ...mail, outcome: why, error };
  const runs = mail.runs.map(
    (run): MailRun => (run.runId === runId ? { ...run, accepted: true, end: 'failed', error } : run),
  );
  return { ...mail, runs };
}

const changed = (mailId: string, next: (mail: InboundEmail) => InboundEmail): DocumentChange =>
  amend<InboundEmail>('inboundEmails', mailId, (mail) => {
    const after = next(mail);
    return { ...after, open: after.outcome === 'received' || after.runs.some(({ accepted }) => !accepted) };
  });

const ended = ({ mailId, runId, error, over }: MailRunBefore): DocumentChange =>
  changed(mailId, (mail) => {
    const end = error === null ? 'ok' : 'failed';
    const runs = mail.runs.map(
      (run): MailRun => (run.runId === runId ? { ...run, accepted: true, end, error, over } : run),
    );
    return { ...mail, runs };
  });

function ofRun(causedBy: string | null, runId: string, next: (run: MailRun) => MailRun): readonly DocumentChange[] {
  if (causedBy === null || !causedBy.startsWith('mail_')) return [];
  return [
    changed(causedBy, (mail) => ({ ...mail, runs: mail.runs.map((run) => (run.runId === runId ? next(run) : run)) })),
  ];
}

const none = { receivedCount: 0, lastReceivedAt: null };

function used(
  { stream, revision }: Event,
  next: (
    use: Pick<MailhookUse, 'receivedCount' | 'lastReceivedAt'>,
  ) => Pick<MailhookUse, 'receivedCount' | 'lastReceivedAt'>,
): DocumentChange {
  const { workspaceId, id } = parseStream(stream);
  return step<MailhookUse>('mailhookUses', id, (use) => ({ id, workspaceId, ...next(use ?? none), revision }));
}

const counted = (event: Of<'InboundEmailReceived'>): DocumentChange =>
  used(event, ({ receivedCount }) => ({ receivedCount: receivedCount + 1, lastReceivedAt: event.metadata.at }));

const passed = (event: Event): DocumentChange =>
  used(event, ({ receivedCount, lastReceivedAt }) => ({ receivedCount, lastReceivedAt }));
