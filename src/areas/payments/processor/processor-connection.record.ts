import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProcessorMode } from '../../../ports/network/payment-processor.port.js';
import { refuse } from '../payments.refusals.js';

/** The endpoint to which the processor sends the events of one mode. */
export interface ProcessorWebhook {
  /** The processor's own id. */
  readonly endpointId: string;
  /** Hash of the token in its address. */
  readonly tokenHash: string;
  /** The vault entry with the secret that signs its events. */
  readonly secretId: string;
}

export const manualPaymentChoices = ['auto', 'on', 'off'] as const;
/**
 * Whether a site accepts manual payments. `auto`: as long as no key of the payment processor is set for the project.
 */
export type ManualPayments = (typeof manualPaymentChoices)[number];

export type ProcessorConnectionEvent =
  /** Recorded before the first of the other events. */
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
  /** The processor refused a call or did not answer; null if it works again. Recorded only on a change. */
  | DomainEvent<'ProcessorTroubleNoted', { readonly projectId: string; readonly problem: string | null }>
  | DomainEvent<'ProcessorConnectionRemoved', { readonly projectId: string; readonly secretIds: readonly string[] }>;

/** A project's connection, under the project's id. Created on first use. */
export interface ProcessorConnection extends Document {
  readonly projectId: string;
  /** The mode of new checkouts. */
  readonly mode: ProcessorMode;
  readonly manualPayments: ManualPayments;
  readonly test: ProcessorWebhook | null;
  readonly live: ProcessorWebhook | null;
  /** A sentence that contains no keys. */
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
