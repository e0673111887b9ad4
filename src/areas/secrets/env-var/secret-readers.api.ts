import { parse } from 'acorn';
import { checkProgram } from '../../../sandbox/program.js';

/** The parts of a function that tell which secrets it reads. */
export interface SecretReader {
  readonly id: string;
  readonly name: string;
  /** The live code. */
  readonly code: string;
  /** The saved but unpublished draft. Null: there is none. */
  readonly draft?: { readonly code: string } | null;
  readonly secrets?: readonly { readonly name: string }[];
  /** Its powers. */
  readonly capabilities?: readonly string[];
  readonly identityMode?: string;
}

/** True with the power 'service', or when it acts as the workspace. */
export function hasFullDataAccess({ capabilities = [], identityMode }: SecretReader): boolean {
  return capabilities.includes('service') || identityMode === 'workspace';
}

/**
 * The functions that read the secret, according to their list of secrets or to its name as a literal in live or draft
 * code (settled question Q-A71), which is searched as plain text where it does not parse. A name that code computes while
 * it runs is not found.
 */
export function readersOf<Reader extends SecretReader>(
  secret: string,
  functions: readonly Reader[],
): readonly Reader[] {
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
