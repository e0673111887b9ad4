import { Injectable } from '@nestjs/common';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import { LargeTexts } from '../../../ports/offloaded/large-texts.port.js';
import { type GrantedSecret, type GrantedSecrets, isPaymentVariable } from '../../../secret-text/granted-secret.js';
import { isGuessable } from '../../../secret-text/hiding/guessable.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import type { ListedSecret } from '../../../secret-text/secret-list.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SecretValues } from '../../secrets/env-var/secret-values.api.js';
import { RunHiding } from './run-hiding.api.js';
import { RunSecrets } from './run-secrets.api.js';
import { SecretsOfSites } from './secrets-of-sites.js';
import { WorkspaceRedactors } from './workspace-redactors.api.js';

export interface SecretUse extends Owned {
  readonly visitor?: Visitor | undefined;
}

@Injectable()
export class SecretsOfRuns {
  constructor(
    private readonly values: SecretValues,
    private readonly workspaces: WorkspaceRedactors,
    private readonly ofSite: SecretsOfSites,
    private readonly large: LargeTexts,
  ) {}

  /** @throws VaultUnavailable, EventStoreUnavailable */
  async of(workspaceId: string, list: readonly ListedSecret[], use: SecretUse = {}): Promise<RunSecrets> {
    const { projectId } = use;
    // Lists saved by earlier versions of the service can contain payment variables, which are never granted.
    const listed = list.filter(({ name }) => !isPaymentVariable(name));
    const [all, granted] = await Promise.all([
      this.workspaces.of(workspaceId),
      projectId === undefined
        ? this.granted(workspaceId, listed)
        : this.ofSite.granted({ workspaceId, projectId, visitor: use.visitor }, listed),
    ]);
    const values = [...granted.values()].flatMap(({ value }) => (value === undefined ? [] : [value]));
    // Values that the workspace's redactor does not hide, because they were set after it was built.
    const others = values.filter((value) => !isGuessable(value) && !all.text(value).hid);
    const redactors = [all, new Redactor(others, values.filter(isGuessable))];
    const hiding = new RunHiding(
      workspaceId,
      redactors.filter(({ isIdle }) => !isIdle),
      this.large,
    );
    return new RunSecrets(granted, hiding);
  }

  private async granted(workspaceId: string, listed: readonly ListedSecret[]): Promise<GrantedSecrets> {
    if (listed.length === 0) return new Map();
    const names = listed.map(({ name }) => name);
    const opened = await this.values.open(workspaceId, names);
    const granted = listed.map(({ name, hosts, keyFormat }): [string, GrantedSecret] => {
      const secret = opened.get(name);
      const allowedHosts = secret?.allowedHosts ?? [];
      return [
        name,
        { name, hosts, allowedHosts, value: secret?.value, ...(keyFormat === undefined ? {} : { keyFormat }) },
      ];
    });
    return new Map(granted);
  }
}
