import { uniqueName } from '../../../engine/commands/reservation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import type { EnvVarFacts } from '../../secrets/env-var/env-var.record.js';
import { refuse } from '../sites.refusals.js';

/** Those of a secret of the workspace, and what only sites have. Every value is in the vault, a secret or not. */
interface SiteEnvVarFacts extends EnvVarFacts {
  readonly projectId: string;
  readonly name: string;
  /** The installed plugin that alone may use the variable. `null` means the site. */
  readonly installScopeId: string | null;
  readonly isSecret: boolean;
  /**
   * Who may use it, in addition to the rules of the functions that read it. `null` means everyone who may run those
   * functions.
   */
  readonly useRules: Condition | null;
}

/**
 * Complete in each event, under the names that the events of a workspace's secrets have: the vault follows both alike. The
 * stream is `siteEnvVar-<workspace>.<id>`.
 */
export type SiteEnvVarEvent =
  /** `replaces` is the id of the value that nothing refers to any more. `null` if there is none. */
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
  undoing: 'A value that was replaced or deleted is destroyed; set it again.',
  missing: () => refuse('site-env-var-not-found'),
  collection: { name: 'siteEnvVars', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'name'] }] },
  begins: {
    EnvVarSet: ({ data: { replaces: _, ...facts }, metadata }, ids) => ({ ...ids, ...facts, updatedAt: metadata.at }),
  },
  continues: { EnvVarDeleted: () => undefined },
});

/** Unique in the project, apart for each installed plugin. */
export const siteEnvVarName = uniqueName('siteEnvVarName', siteEnvVars, (envVar: SiteEnvVar) => envVarNameIn(envVar));

/** A name has no space in it, so that the parts cannot be mistaken for one another. */
export const envVarNameIn = ({
  projectId,
  installScopeId,
  name,
}: Pick<SiteEnvVar, 'projectId' | 'installScopeId' | 'name'>): string => `${projectId} ${name} ${installScopeId ?? ''}`;
