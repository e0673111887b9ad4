import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';

export interface ProcessorWebhook {
  readonly endpointId: string;
  readonly tokenHash: string;
  /** Id of the vault entry with which the processor's signatures are verified. */
  readonly secretId: string;
}

export const manualPaymentChoices = ['auto', 'on', 'off'] as const;
/** `auto` accepts manual payments as long as the project has no key of the processor. */
export type ManualPayments = (typeof manualPaymentChoices)[number];

export type ProcessorConnectionEvent =
  /** The first event of every connection. */
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
  /**
   * `problem` states that the processor refused a call or did not answer. It is null once calls succeed again. Recorded
   * only when it changes.
   */
  | DomainEvent<'ProcessorTroubleNoted', { readonly projectId: string; readonly problem: string | null }>
  | DomainEvent<'ProcessorConnectionRemoved', { readonly projectId: string; readonly secretIds: readonly string[] }>;

/** Created on first use. Its id is the project's id. */
export interface ProcessorConnection extends Document {
  readonly projectId: string;
  readonly mode: ProcessorMode;
  readonly manualPayments: ManualPayments;
  readonly test: ProcessorWebhook | null;
  readonly live: ProcessorWebhook | null;
  /** Null if the last call to the processor succeeded. Never contains a key. */
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
  undoing:
    'The keys of a payment processor are destroyed when they are replaced or removed; connect the processor again.',
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
