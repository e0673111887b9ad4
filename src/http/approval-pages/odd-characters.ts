/**
 * Control characters, characters that turn the writing direction round, joiners, fillers and other characters that
 * leave no mark, halves of characters, and spaces that are none: a reviewer has to see that they are there.
 */
export const odd = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with each odd character replaced by what `mark` makes of it, and the rest by what `plain` does. */
export function visible(text: string, mark: (character: string) => string, plain: (text: string) => string): string {
  let [shown, from] = ['', 0];
  for (const { 0: character, index } of text.matchAll(odd)) {
    shown += plain(text.slice(from, index)) + mark(character);
    from = index + character.length;
  }
  return shown + plain(text.slice(from));
}

export const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
