import { Injectable } from '@nestjs/common';
import type { Policies } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import { Clock } from '../../../ports/clock.port.js';
import type { GrantedSecret, GrantedSecrets } from '../../../secret-text/granted-secret.js';
import type { ListedSecret } from '../../../secret-text/secret-list.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import { type OpenedVariable, SiteVariables } from '../../sites/env-var/site-variables.api.js';

interface Using {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly visitor: Visitor | undefined;
}

/**
 * A secret is sent only to its own hosts. If it has none, runs for visitors cannot send it, and runs for the owner can
 * send it only to hosts that an Admin allowed for the function (Sites API, createEnvVar; settled question Q-S109). In
 * runs for visitors, the secret's `useRules` must also admit the visitor.
 */
@Injectable()
export class SecretsOfSites {
  constructor(
    private readonly variables: SiteVariables,
    private readonly clock: Clock,
    private readonly policies: SitePolicies,
  ) {}

  /** @throws VaultUnavailable, EventStoreUnavailable */
  async granted(using: Using, listed: readonly ListedSecret[]): Promise<GrantedSecrets> {
    const { workspaceId, projectId, visitor } = using;
    const policies = await this.policies.of(workspaceId, projectId);
    const granted = await Promise.all(
      listed.map(
        async ({ name, hosts, keyFormat, opened: isOpened }): Promise<readonly [string, GrantedSecret] | undefined> => {
          const opened = await this.variables.open(workspaceId, projectId, name);
          const secret = opened?.recorded.isSecret ? opened : undefined;
          if (visitor !== undefined && secret !== undefined && !this.mayUse(secret, visitor, policies))
            return undefined;
          const own = secret?.recorded.allowedHosts ?? [];
          const allowedHosts = own.length === 0 && visitor === undefined && isOpened ? 'any' : own;
          const format = keyFormat === undefined ? {} : { keyFormat };
          return [name, { name, hosts, allowedHosts, value: secret?.value, ...format }];
        },
      ),
    );
    return new Map(granted.filter((one) => one !== undefined));
  }

  private mayUse({ recorded: { useRules } }: OpenedVariable, visitor: Visitor, policies: Policies): boolean {
    if (useRules === null) return true;
    const facts = { ...visitor, now: this.clock.now(), place: 'env-var' } as const;
    return judge(useRules, facts, policies).isAllowed;
  }
}
