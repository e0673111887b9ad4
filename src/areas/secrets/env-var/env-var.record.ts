import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../secrets.refusals.js';

/** The value itself is only in the vault. */
export interface EnvVarFacts {
  readonly description: string;
  /** The secret may be sent only to these hosts (normalised). If empty, it can only verify signatures. */
  readonly allowedHosts: readonly string[];
  /** Id of the vault entry that holds the value. Each new value gets a new id. */
  readonly valueId: string;
  /** Set if the value is short or simple enough to be guessed. Omitted if it is not, or if it was not checked. */
  readonly guessable?: true;
}

export type EnvVarEvent =
  /** `replaces` is the id of the previous value, or null if there was none. */
  | DomainEvent<'EnvVarSet', EnvVarFacts & { readonly replaces: string | null }>
  | DomainEvent<'EnvVarDeleted', { readonly valueId: string }>;

export interface EnvVar extends Document, EnvVarFacts {
  readonly name: string;
  readonly updatedAt: string;
}

export const envVars = record<EnvVar, EnvVarEvent>()({
  category: 'envVar',
  inner: ['valueId'],
  secrets: {
    entry: 'env-var',
    fates: {
      EnvVarSet: ({ valueId, replaces }) => ({ keeps: valueId, destroys: replaces }),
      EnvVarDeleted: ({ valueId }) => ({ destroys: valueId }),
    },
  },
  auditedFor: 'functions.read',
  shownBy: 'automations/listEnvVars',
  limited: true,
  undoing: 'The value of a secret is destroyed when it is replaced or deleted; set it again.',
  missing: () => refuse('env-var-not-found'),
  begins: {
    EnvVarSet: ({ data: { replaces: _, ...facts }, metadata }, ids) => ({
      ...ids,
      name: ids.id,
      ...facts,
      updatedAt: metadata.at,
    }),
  },
  continues: { EnvVarDeleted: () => undefined },
});
