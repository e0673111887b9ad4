const longestText = 200;
const mostItems = 10;

/**
 * The question asked, shortened to a few kilobytes. A question's input consists of texts, numbers and lists of texts.
 */
export function summaryOf(asked: object): object {
  return Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, shortened(value)]));
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (!Array.isArray(value)) return value;
  const more = value.length - mostItems;
  return [...value.slice(0, mostItems).map(shortened), ...(more > 0 ? [`and ${more} more`] : [])];
}
