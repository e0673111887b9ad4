import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProcessorMode } from '../../../ports/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';

/** Where the processor sends the events of a mode. */
export interface ProcessorWebhook {
  /** The processor's own id of it. */
  readonly endpointId: string;
  /** Of the token in its address. */
  readonly tokenHash: string;
  /** Under which the vault holds the secret that signs its events. */
  readonly secretId: string;
}

export const manualPaymentChoices = ['auto', 'on', 'off'] as const;
/** Whether a site takes payments by hand. `auto`: while the project keeps no key of the processor. */
export type ManualPayments = (typeof manualPaymentChoices)[number];

export type ProcessorConnectionEvent =
  /** Before the first of the others. */
  | DomainEvent<'ProcessorConnectionBegun', { readonly projectId: string }>
  | DomainEvent<'ProcessorModeSet', { readonly projectId: string; readonly mode: ProcessorMode }>
  | DomainEvent<'ManualPaymentsSet', { readonly projectId: string; readonly manualPayments: ManualPayments }>
  | DomainEvent<
      'ProcessorWebhookRegistered',
      ProcessorWebhook & {
        readonly projectId: string;
        readonly mode: ProcessorMode;
        readonly replaces: Pick<ProcessorWebhook, 'endpointId' | 'secretId'> | null;
      }
    >
  /** The processor said no, or nothing. null: it works again. Where nothing changes, nothing is recorded. */
  | DomainEvent<'ProcessorTroubleNoted', { readonly projectId: string; readonly problem: string | null }>
  | DomainEvent<'ProcessorConnectionRemoved', { readonly projectId: string; readonly secretIds: readonly string[] }>;

/** Of one project, under the project's id. It begins when something is first done with it. */
export interface ProcessorConnection extends Document {
  readonly projectId: string;
  /** In which new checkouts are opened. */
  readonly mode: ProcessorMode;
  readonly manualPayments: ManualPayments;
  readonly test: ProcessorWebhook | null;
  readonly live: ProcessorWebhook | null;
  /** A sentence without keys. */
  readonly lastError: string | null;
  readonly createdAt: string;
}

const nothing = { mode: 'test', manualPayments: 'auto', test: null, live: null, lastError: null } as const;

export const processorConnections = plainRecord<ProcessorConnection, ProcessorConnectionEvent>()({
  category: 'processorConnection',
  inner: ['tokenHash', 'secretId'],
  secrets: {
    entry: 'processor-webhook',
    fates: {
      ProcessorWebhookRegistered: ({ secretId, replaces }) => ({ keeps: secretId, destroys: replaces?.secretId }),
      ProcessorConnectionRemoved: ({ secretIds }) => ({ destroys: secretIds }),
    },
  },
  auditedFor: 'site.money',
  shownBy: 'site/getProcessorConnection',
  of: { project: 'projectId' },
  undoing: 'The keys of a processor are destroyed when they are replaced or removed; connect it again.',
  missing: () => refuse('processor-webhook-not-found'),
  collection: { name: 'processorConnections', version: 2, indexes: [{ fields: ['projectId'] }] },
  begins: { ProcessorConnectionBegun: nothing },
  merges: ['ManualPaymentsSet'],
  ends: ['ProcessorConnectionRemoved'],
  also: {
    ProcessorModeSet: (_, { data: { mode } }) => ({ mode }),
    ProcessorWebhookRegistered: (_, { data: { mode, endpointId, tokenHash, secretId } }) => ({
      [mode]: { endpointId, tokenHash, secretId },
    }),
    ProcessorTroubleNoted: (_, { data: { problem } }) => ({ lastError: problem }),
  },
});
