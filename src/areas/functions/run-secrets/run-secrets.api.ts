import { randomBytes } from 'node:crypto';
import type { GrantedSecrets } from '../../../secret-text/granted-secret.js';
import { RunHiding } from './run-hiding.api.js';

export class RunSecrets {
  /**
   * Part of every marker, which is the text that represents a secret in code. New for every attempt, so that markers of
   * other attempts are not recognised.
   */
  readonly seal = randomBytes(18).toString('hex');

  constructor(
    readonly granted: GrantedSecrets,
    readonly hiding: RunHiding,
  ) {}

  static none(): RunSecrets {
    return new RunSecrets(new Map(), new RunHiding('', [], undefined));
  }
}
