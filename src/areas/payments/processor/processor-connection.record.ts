import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';

/** The endpoint that receives the processor's events of one mode. */
export interface ProcessorWebhook {
  /** The processor's id of the endpoint. */
  readonly endpointId: string;
  /** Hash of the token in the endpoint's address. */
  readonly tokenHash: string;
  /** Id of the vault entry that has the secret for the processor's signatures. */
  readonly secretId: string;
}

export const manualPaymentChoices = ['auto', 'on', 'off'] as const;
/** Whether a site accepts manual payments. `auto` means as long as the project has no key of the processor. */
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

/** A project's connection to the processor. Its id is the project's id. It is created when it is first used. */
export interface ProcessorConnection extends Document {
  readonly projectId: string;
  /** The mode of new checkouts. */
  readonly mode: ProcessorMode;
  readonly manualPayments: ManualPayments;
  readonly test: ProcessorWebhook | null;
  readonly live: ProcessorWebhook | null;
  /** Error message of the last call to the processor, or null if it succeeded. Never contains a key. */
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
