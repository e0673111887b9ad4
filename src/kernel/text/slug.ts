/** 'Café Müller & Co.' → `cafe-muller-co`. Empty if there are no ASCII letters or digits. */
export function slugOf(name: string, longest: number): string {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, longest).replace(/-$/, '');
}
