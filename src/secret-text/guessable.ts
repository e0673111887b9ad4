/** Whoever tries values cannot try so many of these that one is right. */
const unguessableLength = 20;
const unguessableCharacters = 10;

/** Whether a value is so short, or of so few characters, that somebody could find it by trying. */
export function isGuessable(value: string): boolean {
  const core = value.trim();
  return core.length < unguessableLength || new Set(core).size < unguessableCharacters;
}
