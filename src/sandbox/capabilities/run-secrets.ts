import { randomBytes } from 'node:crypto';
import type { SecretValues } from '../../ports/secret-values.port.js';
import type { GrantedSecret, GrantedSecrets } from '../secrets/granted-secret.js';
import { Redactor } from '../secrets/redactor.js';
import type { ScopedSecret } from './capability-table.js';

/** The secrets of one attempt of a run: what may be filled in where, and what is hidden from all that leaves it. */
export class RunSecrets {
  /** New for every attempt, so that only a marker of this one is a marker. */
  readonly seal = randomBytes(18).toString('hex');
  readonly redactor: Redactor;

  private constructor(readonly granted: GrantedSecrets) {
    this.redactor = new Redactor([...granted.values()].flatMap(({ value }) => (value === undefined ? [] : [value])));
  }

  static none(): RunSecrets {
    return new RunSecrets(new Map());
  }

  /** A function without secrets opens nothing. @throws VaultUnavailable, EventStoreUnavailable */
  static async of(workspaceId: string, listed: readonly ScopedSecret[], values: SecretValues): Promise<RunSecrets> {
    if (listed.length === 0) return RunSecrets.none();
    const names = listed.map(({ name }) => name);
    const opened = await values.open(workspaceId, names);
    const granted = listed.map(({ name, hosts, keyFormat }): [string, GrantedSecret] => {
      const secret = opened.get(name);
      const allowedHosts = secret?.allowedHosts ?? [];
      return [
        name,
        { name, hosts, allowedHosts, value: secret?.value, ...(keyFormat === undefined ? {} : { keyFormat }) },
      ];
    });
    return new RunSecrets(new Map(granted));
  }
}
