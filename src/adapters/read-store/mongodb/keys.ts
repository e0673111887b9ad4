/** The keys allowed in a field path, and therefore in what is queried of a document. */
const key = /^[^."'\\\p{Cc}]+$/u;

export const isKey = (name: string): boolean => key.test(name);

/** A name with a dollar sign could be taken for an operator or a variable. */
export function escaped(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('$', '%24');
}
