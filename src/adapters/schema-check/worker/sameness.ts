import { isJsonArray, isJsonObject, type Json } from '../../../kernel/json/json.js';

/** Ignores the order of members and compares numbers by value. Calls `step` for each value in lists and objects. */
export function isSame(one: Json, other: Json, step: () => void): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return canonical(one, step) === canonical(other, step);
}

/** The text is the same for equal values and different for unequal ones. */
export function canonical(value: Json, step: () => void): string {
  step();
  if (isJsonArray(value)) return `[${value.map((item) => canonical(item, step)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null, step)}`).join()}}`;
}
