const key = /^[^."'\\\p{Cc}]+$/u;

export const isKey = (name: string): boolean => key.test(name);

/** The driver refuses to write objects that have this key. */
const ofDriver = '_bsontype';

/** MongoDB would interpret a dollar sign as an operator or a variable. */
export function escaped(name: string): string {
  if (name === ofDriver) return `%5F${name.slice(1)}`;
  return name.replaceAll('%', '%25').replaceAll('$', '%24');
}
