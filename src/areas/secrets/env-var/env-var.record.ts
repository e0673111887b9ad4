import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../secrets.refusals.js';

/** Everything recorded about a secret, complete in each event. Its value is stored only in the vault. */
export interface EnvVarFacts {
  readonly description: string;
  /** The hosts it may ever be sent to, normalised for comparison. Empty: it only serves to check signatures. */
  readonly allowedHosts: readonly string[];
  /** The vault entry that holds the value. Every value has its own id. */
  readonly valueId: string;
  /** The value could be found by trying. Left out: it could not, or nobody has checked yet. */
  readonly guessable?: true;
}

/** The stream of one name, `envVar-<workspace>.<NAME>`. A deleted name may be set again. */
export type EnvVarEvent =
  /** `replaces` is the value that nothing refers to any more. Null: there was none. */
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
  undoing: 'A value that was replaced or deleted is destroyed; set it again.',
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
