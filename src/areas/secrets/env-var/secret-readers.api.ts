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
 * code (settled question Q-A71). A name that code computes while it runs is not found.
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

/**
 * Compares tokens, so that escapes are decoded and comments ignored. Code that does not parse is searched as plain
 * text.
 */
function holdsLiteral(code: string, text: string): boolean {
  const checked = checkProgram(code);
  if (!checked.ok) return code.includes(text);
  let found = false;
  const onToken = ({ type, value }: { readonly type: { readonly label: string }; readonly value?: unknown }) => {
    found ||= (type.label === 'string' || type.label === 'template') && value === text;
  };
  parse(checked.program.source, { ecmaVersion: 'latest', sourceType: 'script', onToken });
  return found;
}
