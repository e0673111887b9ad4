import type { DomainEvent } from '../../../kernel/event.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

/** All that is recorded of a secret, whole each time; its value lies in the vault and nowhere else. */
interface EnvVarFacts {
  readonly description: string;
  /** The hosts it may ever be sent to, as patterns are compared; none: it only checks signatures. */
  readonly allowedHosts: readonly string[];
  /** Which entry of the vault holds the value. Every value has an id of its own. */
  readonly valueId: string;
  /** Whoever tries values could find it. Left out: it could not, or nobody looked yet. */
  readonly guessable?: true;
}

/** The history of one name, `envVar-<workspace>.<NAME>`; a name that was deleted may be set again. */
export type EnvVarEvent =
  /** `replaces` is the value that nothing refers to from now on; null: there was none. */
  | DomainEvent<'EnvVarSet', EnvVarFacts & { readonly replaces: string | null }>
  | DomainEvent<'EnvVarDeleted', { readonly valueId: string }>;

export interface EnvVar extends Document, EnvVarFacts {
  readonly name: string;
  readonly updatedAt: string;
}

export const envVars = record<EnvVar, EnvVarEvent>()({
  category: 'envVar',
  auditedFor: 'functions.read',
  limited: true,
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

/** Where the vault holds a value. */
export const envVarValueName = (workspaceId: string, valueId: string): string => `env-var/${workspaceId}/${valueId}`;
