import { uniqueName } from '../../../engine/commands/reservation.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import type { EnvVarFacts } from '../../secrets/env-var/env-var.record.js';
import { refuse } from '../sites.refusals.js';

/**
 * The facts of a workspace's secret, and those that only sites have. Every value is in the vault, whether it is a
 * secret or not.
 */
interface SiteEnvVarFacts extends EnvVarFacts {
  readonly projectId: string;
  readonly name: string;
  /** The installed plugin that alone may use the variable. `null` means that it belongs to the site itself. */
  readonly installScopeId: string | null;
  readonly isSecret: boolean;
  /**
   * The condition on its use, in addition to the rules of the functions that read it. `null` means everyone who may run
   * those functions.
   */
  readonly useRules: Condition | null;
}

/**
 * Each event is complete and has the type of the workspace's event for secrets, so that the vault handles both in the
 * same way. The stream is `siteEnvVar-<workspace>.<id>`.
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

/** Names are unique in a project, separately for each installed plugin. */
export const siteEnvVarName = uniqueName('siteEnvVarName', siteEnvVars, (envVar: SiteEnvVar) => envVarNameIn(envVar));

/** Unambiguous, because names contain no spaces. */
export const envVarNameIn = ({
  projectId,
  installScopeId,
  name,
}: Pick<SiteEnvVar, 'projectId' | 'installScopeId' | 'name'>): string => `${projectId} ${name} ${installScopeId ?? ''}`;
