import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { FunctionDocument, Grants } from '../function/function.record.js';
import type { RunRequest } from '../run/run-request.api.js';
import type { RunSecrets } from '../run-secrets/run-secrets.api.js';

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
    readonly capabilities: FunctionDocument['capabilities'];
    /** With 'workspace', runs started by pages reach every row of the site. */
    readonly identityMode: FunctionDocument['identityMode'];
  };
  readonly secrets: RunSecrets;
  readonly mostCalls: number;
}
