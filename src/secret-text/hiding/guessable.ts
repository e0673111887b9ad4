/** Minimum length, and minimum number of different characters, of a value that cannot realistically be guessed. */
const unguessableLength = 20;
const unguessableCharacters = 10;

export function isGuessable(value: string): boolean {
  const core = value.trim();
  return core.length < unguessableLength || new Set(core).size < unguessableCharacters;
}
