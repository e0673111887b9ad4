import { uniqueName } from '../../../engine/commands/reservation.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../sites.refusals.js';

export interface DomainNotice {
  readonly id: string;
  readonly domain: string;
  readonly summary: string;
  /** The notice is shown as new until this time (ISO 8601). */
  readonly expiresAt: string;
}

interface DomainFacts {
  readonly projectId: string;
  /** Lower-case ASCII, without a dot at the end. */
  readonly domain: string;
  /** Not secret, because DNS records are public. */
  readonly token: string;
}

interface Looked {
  readonly checkedAt: string;
  /** `null` means that the domain is checked only on request. */
  readonly nextCheckAt: string | null;
}

export type CustomDomainEvent =
  | DomainEvent<'CustomDomainSet', DomainFacts>
  /** `gained` is set if the domain was not verified before; older versions did not record it. */
  | DomainEvent<'CustomDomainVerified', Looked & { readonly gained?: { readonly domain: string } }>
  /** No TXT record contains the token. `notice` is set if the domain was verified before. */
  | DomainEvent<'CustomDomainRefuted', Looked & { readonly problem: string; readonly notice?: DomainNotice }>
  /** No DNS server answered, so the site keeps the domain until the next check. */
  | DomainEvent<'CustomDomainCheckPostponed', { readonly problem: string; readonly nextCheckAt: string }>
  | DomainEvent<'CustomDomainLost', { readonly problem: string; readonly notice: DomainNotice }>
  | DomainEvent<'CustomDomainRemoved', { readonly projectId: string }>;

export type DomainStatus = 'pending' | 'verified' | 'failed';

export interface CustomDomain extends Document, DomainFacts {
  readonly status: DomainStatus;
  readonly problem: string | null;
  readonly checkedAt: string | null;
  readonly verifiedAt: string | null;
  readonly nextCheckAt: string | null;
  readonly createdAt: string;
}

export const customDomains = plainRecord<CustomDomain, CustomDomainEvent>()({
  category: 'customDomain',
  auditedFor: 'site.read',
  shownBy: 'site/getCustomDomainStatus',
  of: { project: 'projectId' },
  undoing: 'Set the domain again with site/updateCustomDomain.',
  missing: () => refuse('no-custom-domain'),
  collection: {
    name: 'customDomains',
    version: 1,
    indexes: [{ fields: ['nextCheckAt'] }, { fields: ['domain'] }],
  },
  begins: {
    CustomDomainSet: { status: 'pending', problem: null, checkedAt: null, verifiedAt: null, nextCheckAt: null },
  },
  ends: ['CustomDomainRemoved'],
  also: {
    CustomDomainVerified: ({ status, verifiedAt }, { data: { gained: _, ...looked } }) => ({
      ...looked,
      status: 'verified',
      problem: null,
      verifiedAt: status === 'verified' ? verifiedAt : looked.checkedAt,
    }),
    CustomDomainRefuted: (_, { data: { notice: __, ...looked } }) => ({
      ...looked,
      status: 'failed',
      verifiedAt: null,
    }),
    CustomDomainCheckPostponed: (_, { data }) => data,
    CustomDomainLost: (_, { data: { problem } }) => ({
      problem,
      status: 'failed',
      verifiedAt: null,
      nextCheckAt: null,
    }),
  },
});

/** A domain belongs to at most one project of the whole service: the one that verified it last. */
export const verifiedDomain = uniqueName(
  'verifiedDomain',
  customDomains,
  ({ status, domain }: CustomDomain) => (status === 'verified' ? domain : undefined),
  { among: 'service' },
);
