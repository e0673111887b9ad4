interface Page {
  readonly rows: readonly unknown[];
  readonly hiddenFields: readonly string[];
  readonly next: string | null;
}

/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. The returned list
 * of rows has a member `hiddenFields` with the names of all hidden fields. The service limits the total number of rows.
 */
export function makeReadAll(
  page: (...args: readonly unknown[]) => unknown,
): (table: unknown, options?: unknown) => unknown {
  const { apply, defineProperty } = Reflect;
  const { then } = Promise.prototype;
  const BasePromise = Promise;

  return (table: unknown, options?: unknown): unknown =>
    new BasePromise((resolve, reject) => {
      const rows: unknown[] = [];
      const hidden: string[] = [];
      const add = (list: unknown[], value: unknown) =>
        defineProperty(list, list.length, { value, writable: true, enumerable: true, configurable: true });

      const take = (answer: Page): void => {
        for (let at = 0; at < answer.rows.length; at += 1) add(rows, answer.rows[at]);
        for (let at = 0; at < answer.hiddenFields.length; at += 1) {
          let isKnown = false;
          for (let one = 0; one < hidden.length; one += 1) if (hidden[one] === answer.hiddenFields[at]) isKnown = true;
          if (!isKnown) add(hidden, answer.hiddenFields[at]);
        }
        if (answer.next !== null) ask(answer.next);
        else {
          defineProperty(rows, 'hiddenFields', { value: hidden, writable: true, configurable: true });
          resolve(rows);
        }
      };
      const ask = (next: string | null): void => {
        apply(then, page(table, options ?? null, next, rows.length), [take, reject]);
      };
      ask(null);
    });
}
