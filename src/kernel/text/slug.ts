/** 'Café Müller & Co.' → `cafe-muller-co`, at most so many characters; empty when the name has no letters or digits of ASCII. */
export function slugOf(name: string, longest: number): string {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, longest).replace(/-$/, '');
}
