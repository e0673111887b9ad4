export type JsonPath = readonly (string | number)[];

const longest = 500;

/** Returns one line of bounded length for any names, such as `a.b[0]["odd name"]`. */
export function pathText([first, ...others]: JsonPath): string {
  const start = typeof first === 'string' && isPlain(first) ? first : first === undefined ? '' : inBrackets(first);
  const text = others.reduce<string>((above, key) => above + (isPlain(key) ? `.${key}` : inBrackets(key)), start);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const isPlain = (key: string | number): boolean =>
  typeof key === 'string' && key.length <= longest && /^[\p{ID_Start}$_][\p{ID_Continue}$-]*$/u.test(key);

const inBrackets = (key: string | number): string =>
  `[${typeof key === 'number' ? key : JSON.stringify(key.slice(0, longest))}]`;
