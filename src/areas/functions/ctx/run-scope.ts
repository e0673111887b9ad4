import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { FunctionDocument, Grants } from '../function/function.record.js';
import type { RunRequest } from '../run/run-request.api.js';
import type { RunSecrets } from '../run-secrets/run-secrets.api.js';

/** The run that a ctx member acts for. */
export interface RunScope {
  readonly request: RunRequest;
  readonly function: Owned & {
    readonly id: string;
    readonly name: string;
    readonly grants: {
      readonly bases: readonly { readonly projectId: string; readonly access: 'read' | 'write' }[];
      readonly databaseIds: readonly string[];
      readonly serviceTools: readonly string[];
      readonly connections: Grants['connections'];
    };
    /** Powers that a person has granted the function. */
    readonly capabilities: FunctionDocument['capabilities'];
    /** With 'workspace', runs started by pages reach every row of the site. */
    readonly identityMode: FunctionDocument['identityMode'];
  };
  /** The secrets opened for this attempt only. */
  readonly secrets: RunSecrets;
  /** Maximum number of counted calls that the run may make. */
  readonly mostCalls: number;
}
