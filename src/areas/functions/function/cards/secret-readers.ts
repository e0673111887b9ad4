import { Injectable } from '@nestjs/common';
import { parse } from 'acorn';
import { RecordTexts } from '../../../../engine/commands/record-texts.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Document } from '../../../../kernel/record/projection.js';
import { checkProgram } from '../../../../sandbox/program.js';
import { type ReadSecret, type SecretReader, SecretReaders } from '../../../secrets/env-var/secret-readers.api.js';
import { type FunctionDocument, hasFullDataAccess } from '../function.record.js';
import { functionsOf } from '../function-kinds.api.js';
import { ownerRulesOf } from '../function-owner.api.js';

interface ReadableFunction extends SecretReader {
  readonly code: string;
  readonly draft?: { readonly code: string } | null;
  readonly secrets?: readonly { readonly name: string }[];
}

type FunctionReader = Pick<FunctionDocument, 'capabilities' | 'identityMode'>;

@Injectable()
export class FunctionSecretReaders {
  constructor(
    private readonly reads: Reads,
    private readonly texts: RecordTexts,
  ) {}

  async of({ workspaceId, name, projectId }: ReadSecret): Promise<readonly SecretReader[]> {
    const owned = projectId === undefined ? {} : { projectId };
    const functions = await this.reads.find<Document & ReadableFunction & FunctionReader>(
      workspaceId,
      ownerRulesOf(owned).collection,
      {
        where: owned,
      },
    );
    const readers: SecretReader[] = [];
    // Read one after the other to limit memory, because each function has two versions of code.
    for (const fn of functions.filter(hasFullDataAccess)) {
      readers.push(...readersOf(name, [await this.texts.whole(functionsOf(owned), workspaceId, fn)]));
    }
    return readers;
  }
}

export const functionsReadSecrets = {
  provide: Symbol('Functions read secrets'),
  inject: [SecretReaders, FunctionSecretReaders],
  useFactory: (all: SecretReaders, functions: FunctionSecretReaders) => all.register((secret) => functions.of(secret)),
};

/**
 * Returns the functions that list the secret, or whose live or draft code contains its name as a string literal
 * (settled question Q-A71). Code that does not parse is searched as plain text. Names computed at run time are not
 * found.
 */
export function readersOf<Reader extends ReadableFunction>(
  secret: string,
  functions: readonly Reader[],
): readonly Reader[] {
  return functions.filter(({ secrets = [], code, draft }) => {
    const listed = secrets.some(({ name }) => name === secret);
    return listed || holdsLiteral(code, secret) || (draft ? holdsLiteral(draft.code, secret) : false);
  });
}

const holdsLiteral = (code: string, text: string) => literalsIn(code)?.has(text) ?? code.includes(text);

/** Returns undefined if the code does not parse. The code is tokenised, so escapes are decoded and comments ignored. */
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
