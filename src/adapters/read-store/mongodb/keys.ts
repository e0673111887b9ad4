/** The keys allowed in a field path, and so in the queried part of a document. */
const key = /^[^."'\\\p{Cc}]+$/u;

export const isKey = (name: string): boolean => key.test(name);

/** The driver treats an object with this key as a value of its own, and refuses to write it. */
const ofDriver = '_bsontype';

/** Escapes a name. With a dollar sign, it could become an operator or a variable. */
export function escaped(name: string): string {
  if (name === ofDriver) return `%5F${name.slice(1)}`;
  return name.replaceAll('%', '%25').replaceAll('$', '%24');
}
