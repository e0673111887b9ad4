/** Minimum length, in characters, of a value that cannot realistically be guessed. */
const unguessableLength = 20;
const unguessableCharacters = 10;

/** Whether a value could be guessed, because it is short or has few different characters. */
export function isGuessable(value: string): boolean {
  const core = value.trim();
  return core.length < unguessableLength || new Set(core).size < unguessableCharacters;
}
