import { Injectable } from '@nestjs/common';
import { parse } from 'acorn';
import { RecordTexts } from '../../../../engine/commands/record-texts.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Document } from '../../../../kernel/record/projection.js';
import { checkProgram } from '../../../../sandbox/program.js';
import { type ReadSecret, type SecretReader, SecretReaders } from '../../../secrets/env-var/secret-readers.api.js';
import { type AccountFunction, hasFullDataAccess } from '../function.record.js';
import { functionsOf } from '../function-kinds.api.js';
import { rulesOf } from '../function-owner.api.js';

/** The parts of a function that tell which secrets it reads. */
interface Reading extends SecretReader {
  /** The live code. */
  readonly code: string;
  /** The saved but unpublished draft. Null: there is none. */
  readonly draft?: { readonly code: string } | null;
  readonly secrets?: readonly { readonly name: string }[];
}

type Held = Pick<AccountFunction, 'capabilities' | 'identityMode'>;

/** The functions with Full data access that read a secret (settled questions Q-A71, Q-S23). */
@Injectable()
export class FunctionSecretReaders {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  async of({ workspaceId, name, projectId }: ReadSecret): Promise<readonly SecretReader[]> {
    const owned = projectId === undefined ? {} : { projectId };
    const functions = await this.reads.find<Document & Reading & Held>(workspaceId, rulesOf(owned).collection, {
      where: owned,
    });
    const readers: SecretReader[] = [];
    // One after the other: there may be many, each with the code of two versions.
    for (const fn of functions.filter(hasFullDataAccess)) {
      readers.push(...readersOf(name, [await this.texts.whole(functionsOf(owned), workspaceId, fn)]));
    }
    return readers;
  }
}

/** Enters the functions among what reads secrets. */
export const functionsReadSecrets = {
  provide: Symbol('Functions read secrets'),
  inject: [SecretReaders, FunctionSecretReaders],
  useFactory: (all: SecretReaders, functions: FunctionSecretReaders) => all.register((secret) => functions.of(secret)),
};

/**
 * The functions that read the secret, according to their list of secrets or to its name as a literal in live or draft
 * code (settled question Q-A71), which is searched as plain text where it does not parse. A name that code computes while
 * it runs is not found.
 */
export function readersOf<Reader extends Reading>(secret: string, functions: readonly Reader[]): readonly Reader[] {
  return functions.filter(({ secrets = [], code, draft }) => {
    const listed = secrets.some(({ name }) => name === secret);
    return listed || holdsLiteral(code, secret) || (draft ? holdsLiteral(draft.code, secret) : false);
  });
}

const holdsLiteral = (code: string, text: string) => literalsIn(code)?.has(text) ?? code.includes(text);

/** The texts that code names literally: by its tokens, so escapes are decoded and comments ignored. Undefined: it does not parse. */
export function literalsIn(code: string): ReadonlySet<string> | undefined {
  const checked = checkProgram(code);
  if (!checked.ok) return undefined;
  const found = new Set<string>();
  const onToken = ({ type, value }: { readonly type: { readonly label: string }; readonly value?: unknown }) => {
    if ((type.label === 'string' || type.label === 'template') && typeof value === 'string') found.add(value);
  };
  parse(checked.program.source, { ecmaVersion: 'latest', sourceType: 'script', onToken });
  return found;
}
