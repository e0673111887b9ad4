import { parse } from 'acorn';
import { checkProgram } from '../../../sandbox/program.js';

/** What of a function tells which secrets it reads. */
export interface SecretReader {
  readonly id: string;
  readonly name: string;
  /** What runs now. */
  readonly code: string;
  /** What was saved since and is not published; null: nothing. */
  readonly draft?: { readonly code: string } | null;
  readonly secrets?: readonly { readonly name: string }[];
  /** Its powers. */
  readonly capabilities?: readonly string[];
  readonly identityMode?: string;
}

/** The power 'service', or that it acts as the workspace. */
export function hasFullDataAccess({ capabilities = [], identityMode }: SecretReader): boolean {
  return capabilities.includes('service') || identityMode === 'workspace';
}

/**
 * Those that read the secret, by their list of secrets or by its name as a literal in live or draft code (settled
 * question Q-A71). A name that code puts together while it runs is not found.
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

/** By its tokens, so that escapes are read and comments are not. Code that does not parse is searched as plain text. */
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
