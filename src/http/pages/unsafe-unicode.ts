/**
 * Characters that a reader cannot see or identify: control characters, characters that change the writing direction,
 * joiners, fillers, unpaired surrogates, private-use characters and unusual spaces.
 */
export const odd = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu;

export function visible(text: string, mark: (character: string) => string, plain: (text: string) => string): string {
  let [shown, from] = ['', 0];
  for (const { 0: character, index } of text.matchAll(odd)) {
    shown += plain(text.slice(from, index)) + mark(character);
    from = index + character.length;
  }
  return shown + plain(text.slice(from));
}

export const characterName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
