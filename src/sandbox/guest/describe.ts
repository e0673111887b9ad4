export interface Describe {
  thrown(value: unknown): string;
  values(values: readonly unknown[]): string;
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. Getters are shown
 * but not called. A value that throws while it is inspected is shown as such.
 */
export function makeDescribe(maxLength: number): Describe {
  const { apply, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { stringify } = JSON;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { exec } = RegExp.prototype;
  const { slice } = String.prototype;
  const { toISOString } = Date.prototype;
  const toRegExpText = RegExp.prototype.toString;
  const toFunctionText = Function.prototype.toString;
  const eachOfMap = Map.prototype.forEach;
  const eachOfSet = Set.prototype.forEach;
  const [BaseError, BaseMap, BaseSet, BaseDate, BasePattern, Text] = [Error, Map, Set, Date, RegExp, String];
  const inFunction = /\n {4}at (?:[^\n]*\()?function:(\d+):\d+/;
  const identifier = /^[A-Za-z_$][\w$]*$/;
  const [maxDepth, maxItems, maxNodes] = [4, 100, 1_000];

  const cut = (text: string, length: number): string =>
    text.length > length ? `${apply(slice, text, [0, length])}…` : text;

  function errorText(error: Error, withName: boolean): string {
    const { message, name, stack } = error;
    const errorMessage = typeof message === 'string' ? message : '';
    const named = typeof name === 'string' ? name : 'Error';
    const place = typeof stack === 'string' ? apply(exec, inFunction, [stack]) : null;
    const where = place ? ` (line ${place[1]})` : '';
    if (errorMessage === '') return named + where;
    return (withName ? `${named}: ${cut(errorMessage, maxLength)}` : cut(errorMessage, maxLength)) + where;
  }

  function makeInspect(): (value: unknown, depth: number) => string {
    let nodes = 0;
    const line: unknown[] = [];

    function inspect(value: unknown, depth: number): string {
      nodes += 1;
      if (nodes > maxNodes) return '…';
      if (typeof value === 'string') return stringify(cut(value, maxLength));
      if (typeof value === 'bigint') return `${Text(value)}n`;
      if (typeof value === 'function') return functionText(value);
      if (typeof value !== 'object' || value === null) return Text(value);
      for (let at = 0; at < depth; at += 1) if (line[at] === value) return '[Circular]';
      line[depth] = value;
      return objectText(value, depth);
    }

    function functionText(value: { readonly name?: unknown }): string {
      const source = apply(toFunctionText, value, []) as string;
      const name = typeof value.name === 'string' && value.name !== '' ? value.name : '(anonymous)';
      return `[${apply(slice, source, [0, 5]) === 'class' ? 'class' : 'Function:'} ${cut(name, 100)}]`;
    }

    function objectText(value: object, depth: number): string {
      if (value instanceof BaseError) return errorText(value, true);
      if (value instanceof BaseDate) return apply(toISOString, value, []);
      if (value instanceof BasePattern) return apply(toRegExpText, value, []);
      const list = isArray(value) || (isView(value) && !(value instanceof DataView));
      if (depth >= maxDepth) return list ? '[Array]' : '[Object]';
      if (list) return listText(value as ArrayLike<unknown>, depth);
      if (value instanceof BaseMap) return collectionText('Map', eachOfMap, value, depth);
      if (value instanceof BaseSet) return collectionText('Set', eachOfSet, value, depth);
      return recordText(value, depth);
    }

    function listText(list: ArrayLike<unknown>, depth: number): string {
      let text = '';
      const { length } = list;
      for (let at = 0; at < length && at < maxItems; at += 1) text += (at ? ', ' : '') + inspect(list[at], depth + 1);
      return `[${text === '' ? '' : ` ${text}${length > maxItems ? `, … ${length - maxItems} more` : ''} `}]`;
    }

    function collectionText(kind: string, each: unknown, value: object, depth: number): string {
      let text = '';
      let seen = 0;
      const show = (item: unknown, key: unknown): void => {
        seen += 1;
        if (seen > maxItems) return;
        text += seen > 1 ? ', ' : ' ';
        text += (kind === 'Map' ? `${inspect(key, depth + 1)} => ` : '') + inspect(item, depth + 1);
      };
      apply(each as (show: unknown) => void, value, [show]);
      return `${kind}(${seen}) {${text}${seen > maxItems ? ', …' : ''} }`;
    }

    function recordText(value: object, depth: number): string {
      const keys = ownKeys(value);
      let text = '';
      let shown = 0;
      for (let at = 0; at < keys.length; at += 1) {
        const key = keys[at] as string | symbol;
        const property = getOwnPropertyDescriptor(value, key);
        if (!property?.enumerable) continue;
        shown += 1;
        if (shown > maxItems) return `{ ${text}, … }`;
        const plain = typeof key === 'string' && apply(exec, identifier, [key]) !== null;
        const name = plain ? (key as string) : typeof key === 'symbol' ? `[${Text(key)}]` : stringify(key);
        text += `${shown > 1 ? ', ' : ''}${name}: ${property.get ? '[Getter]' : inspect(property.value, depth + 1)}`;
      }
      return text === '' ? '{}' : `{ ${text} }`;
    }

    return inspect;
  }

  return {
    thrown(value) {
      try {
        if (value instanceof BaseError) return errorText(value, false);
        return typeof value === 'string' ? cut(value, maxLength) : cut(makeInspect()(value, 0), maxLength);
      } catch {
        return 'The function threw a value that cannot be shown.';
      }
    },
    values(values) {
      let text = '';
      const inspect = makeInspect();
      for (let at = 0; at < values.length && text.length < maxLength; at += 1) {
        const value = values[at];
        if (at > 0) text += ' ';
        try {
          text += typeof value === 'string' ? cut(value, maxLength) : inspect(value, 0);
        } catch {
          text += '[a value that cannot be shown]';
        }
      }
      return cut(text, maxLength);
    },
  };
}
