import { uniqueName } from '../../../engine/commands/reservation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import type { EnvVarFacts } from '../../secrets/env-var/env-var.record.js';
import { refuse } from '../sites.refusals.js';

interface SiteEnvVarFacts extends EnvVarFacts {
  readonly projectId: string;
  readonly name: string;
  /** Id of the installed plugin that has sole access to the variable. `null` if the variable belongs to the site. */
  readonly installScopeId: string | null;
  readonly isSecret: boolean;
  /**
   * Condition that the caller of a function must meet for the function to use the variable. `null` means no condition.
   */
  readonly useRules: Condition | null;
}

export type SiteEnvVarEvent =
  /** `replaces` is the id of the former value, which is destroyed. `null` if the value did not change. */
  | DomainEvent<'EnvVarSet', SiteEnvVarFacts & { readonly replaces: string | null }>
  | DomainEvent<'EnvVarDeleted', { readonly projectId: string; readonly valueId: string }>;

export interface SiteEnvVar extends Document, SiteEnvVarFacts {
  readonly updatedAt: string;
}

export const siteEnvVars = record<SiteEnvVar, SiteEnvVarEvent>()({
  category: 'siteEnvVar',
  inner: ['valueId'],
  secrets: {
    entry: 'env-var',
    fates: {
      EnvVarSet: ({ valueId, replaces }) => ({ keeps: valueId, destroys: replaces }),
      EnvVarDeleted: ({ valueId }) => ({ destroys: valueId }),
    },
  },
  auditedFor: 'site.read',
  shownBy: 'site/listEnvVars',
  limited: true,
  of: { project: 'projectId' },
  undoing: 'The value of a variable is destroyed when it is replaced or deleted; set it again.',
  missing: () => refuse('site-env-var-not-found'),
  collection: { name: 'siteEnvVars', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'name'] }] },
  begins: {
    EnvVarSet: ({ data: { replaces: _, ...facts }, metadata }, ids) => ({ ...ids, ...facts, updatedAt: metadata.at }),
  },
  continues: { EnvVarDeleted: () => undefined },
});

export const siteEnvVarName = uniqueName('siteEnvVarName', siteEnvVars, (envVar: SiteEnvVar) => envVarNameIn(envVar));

/** Neither ids nor names contain a space, so different variables always have different results. */
export const envVarNameIn = ({
  projectId,
  installScopeId,
  name,
}: Pick<SiteEnvVar, 'projectId' | 'installScopeId' | 'name'>): string => `${projectId} ${name} ${installScopeId ?? ''}`;
