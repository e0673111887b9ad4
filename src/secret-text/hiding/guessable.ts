/** From this length on, trying values has no realistic chance of finding the right one. */
const unguessableLength = 20;
const unguessableCharacters = 10;

/** Whether a value is so short, or uses so few different characters, that it could be found by trying. */
export function isGuessable(value: string): boolean {
  const core = value.trim();
  return core.length < unguessableLength || new Set(core).size < unguessableCharacters;
}
