/** Ids and tokens, times, digests of versions, and what is sealed with fresh randomness: new at each call. */
const fresh =
  /sealed:1:[^"\s]*|(?<![A-Za-z])[A-Za-z]+_[0-9a-z]{26}|in-[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g;
const time = /^\d{4}-\d\d-\d\dT/;

/**
 * The value with everything that is made anew at each call replaced: ids and tokens by their number in the order in which
 * they first appear, so that two values are equal when they are the same but for names; times by one word. What stood
 * there before the call (`known`) stays.
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
