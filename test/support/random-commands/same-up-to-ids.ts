/** Matches everything that differs in each call: ids, tokens, times, digests of versions, and sealed values. */
const fresh =
  /sealed:1:[^"\s]*|(?<![A-Za-z])[A-Za-z]+_[0-9a-z]{26}|in-[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g;
const time = /^\d{4}-\d\d-\d\dT/;

/**
 * Replaces everything that differs in each call. Ids and tokens are replaced by numbers in the order in which they
 * first appear, so that two values are equal if they differ only in ids. Times are replaced by one word. Texts for
 * which `known` returns true, such as ids from before the call, are not replaced.
 */
export function upToIds(value: unknown, known: (text: string) => boolean = () => false): unknown {
  const numbers = new Map<string, number>();
  const renamed = (text: string) => {
    if (time.test(text)) return 'a time';
    if (known(text)) return text;
    if (text.startsWith('sealed:1:')) return 'sealed';
    const number = numbers.get(text) ?? numbers.size + 1;
    numbers.set(text, number);
    const prefix = text.match(/^[A-Za-z]+_(?=[0-9a-z]{26}$)/)?.[0] ?? '';
    return `${prefix}#${number}`;
  };
  return JSON.parse(JSON.stringify(value ?? null).replaceAll(fresh, renamed));
}
